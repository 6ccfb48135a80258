"use client";

import { Info } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { formatCount, formatNumber } from "../../server/shared/format.ts";
import { Button } from "../ui/controls/button.tsx";
import { Alert, ProblemNote } from "../ui/states.tsx";
import type { Issue } from "./check/check-value.ts";
import { describeFault, type JsonFault } from "./draft/draft-text.ts";
import type { Draft } from "./draft/draft.ts";
import { findNotationIssues } from "./draft/notation-issues.ts";
import { maxFormCharacters } from "./use-draft.ts";
import type { Starter } from "./use-start.ts";
import { formatVerdict } from "./verdict-preview.tsx";

const maxShown = 20;

interface Props {
  draft: Draft | null;
  /** Why the form cannot show the draft. */
  fault: JsonFault | null;
  isTooLong: boolean;
  bigints: "number" | "string";
  onJson: () => void;
}

/**
 * Notes on the draft: it is not valid JSON, it is too long for a form, or the server parses it differently than it is
 * written.
 */
export function DraftNotes({ draft, fault, isTooLong, bigints, onJson }: Props) {
  const notationIssues = draft ? findNotationIssues(draft, bigints) : [];
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
      {notationIssues.length > 0 && (
        <Note>
          <ul className="grid gap-0.5">
            {notationIssues.map(({ pointer, message }) => (
              <li key={pointer} className="break-words">
                <code className="break-all">{pointer || "(root)"}</code> {message}.
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

/** All validation issues of a form, with buttons that focus the fields. */
export function IssueSummary({ issues, onShow }: { issues: readonly Issue[]; onShow: (pointer: string) => void }) {
  if (issues.length === 0) return null;
  return (
    <Alert>
      <p className="font-semibold text-bad">
        {`${formatCount(issues.length, "field")} ${issues.length === 1 ? "is" : "are"} invalid.`}
      </p>
      <ul className="mt-1 grid gap-0.5 text-s">
        {issues.slice(0, maxShown).map(({ pointer, message }) => (
          <li key={`${pointer} ${message}`} className="break-words">
            <button
              type="button"
              onClick={() => onShow(pointer)}
              className="cursor-pointer text-left underline decoration-dotted underline-offset-2"
            >
              <code>{pointer === "" ? "(root)" : pointer}</code>
            </button>{" "}
            {message}
          </li>
        ))}
        {issues.length > maxShown && <li>and {issues.length - maxShown} more</li>}
      </ul>
    </Alert>
  );
}

const scrolling = "max-h-48 overflow-auto";

/** Why no run was started. `areIssuesShown`: the form lists the issues that the server found. */
export function StartResult({ starter, areIssuesShown }: { starter: Starter; areIssuesShown: boolean }) {
  const { rejected, stopped } = starter;
  const problem = starter.problem && areIssuesShown ? { ...starter.problem, errors: [] } : starter.problem;
  if (problem && rejected) {
    const toDelivery = rejected.deliveryId !== null && (
      <Link
        href={`/deliveries/${encodeURIComponent(rejected.deliveryId)}`}
        className="whitespace-nowrap text-accent underline"
      >
        Open delivery
      </Link>
    );
    return (
      <ProblemNote
        problem={problem}
        title={`The endpoint responded with ${rejected.status}. No run was started`}
        more={toDelivery}
        className={scrolling}
      />
    );
  }
  if (problem)
    return (
      <ProblemNote
        problem={problem}
        title={starter.problem?.errors.length ? "No run was started: the input is invalid" : "No run was started"}
        className={scrolling}
      />
    );
  if (!stopped) return null;
  return (
    <Alert tone="wait" icon={Info} className={scrolling}>
      <p className="font-semibold">No run was started: the trigger did not match</p>
      <ul className="text-s">
        {stopped.map((verdict) => (
          <li key={verdict.attachmentId} className="break-words">
            <code>{verdict.trigger}</code> {formatVerdict(verdict)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
