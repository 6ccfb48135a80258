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
  /** Why the form cannot show the draft. */
  fault: JsonFault | null;
  isTooLong: boolean;
  onJson: () => void;
}

/**
 * Notes on the draft: it is not valid JSON, it is too long for a form, or the server parses it differently than it is
 * written.
 */
export function DraftNotes({ draft, fault, isTooLong, onJson }: Props) {
  const oddities = draft ? findOddities(draft) : [];
  return (
    <>
      {isTooLong && (
        <Note>
          This is longer than {formatNumber(maxFormCharacters)} characters. Edit it as JSON: a form of this size would
          block the page.
        </Note>
      )}
      {fault && (
        <Note>
          The draft is not valid JSON, so the form cannot show it. {describeFault(fault)}{" "}
          <Button size="s" onClick={onJson}>
            Fix the JSON
          </Button>
        </Note>
      )}
      {oddities.length > 0 && (
        <Note>
          <ul className="grid gap-0.5">
            {oddities.map(({ pointer, words }) => (
              <li key={pointer} className="break-words">
                <code className="break-all">{pointer || "(root)"}</code> {words}.
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
