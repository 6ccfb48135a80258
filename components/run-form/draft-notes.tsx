"use client";

import { Info } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import type { Draft } from "./draft/draft.ts";
import { findOddities } from "./draft/oddities.ts";
import { type JsonFault, describeFault } from "./draft/parse-draft.ts";
import { maxFormCharacters } from "./use-draft.ts";
import { formatNumber } from "../../server/domain/format.ts";

interface Props {
  draft: Draft | null;
  /** Why the form cannot show the text. */
  fault: JsonFault | null;
  isTooLong: boolean;
  onJson: () => void;
}

/**
 * What a person should know of the draft: that it is no JSON yet, too long for a form, or read in another way than it
 * is written.
 */
export function DraftNotes({ draft, fault, isTooLong, onJson }: Props) {
  const oddities = draft ? findOddities(draft) : [];
  return (
    <>
      {isTooLong && (
        <Note>
          This is longer than {formatNumber(maxFormCharacters)} characters. It is edited as JSON: a form of that size
          would hold the page.
        </Note>
      )}
      {fault && (
        <Note>
          This is no JSON yet, so there is no form of it. {describeFault(fault)}{" "}
          <Button size="s" onClick={onJson}>
            Mend it as JSON
          </Button>
        </Note>
      )}
      {oddities.length > 0 && (
        <Note>
          <ul className="grid gap-0.5">
            {oddities.map(({ pointer, words }) => (
              <li key={pointer} className="break-words">
                <code className="break-all">{pointer || "the whole"}</code> {words}.
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <div role="note" className="flex items-start gap-2.5 rounded-m bg-wait-soft px-3 py-2.5 text-s">
      <Info aria-hidden size={15} className="mt-0.5 shrink-0 text-wait" />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
