import type { Reason, Verdict } from "../../server/contract/verdict.ts";
import { visibleText } from "../../server/domain/schema/visible-text.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { verdictOutcomes } from "../ui/statuses.ts";

/** What each trigger would decide, in little room: the offending places with what was expected and what stands there. */
export function VerdictList({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul aria-label="What each trigger would decide" className="divide-y rounded-m border">
      {verdicts.map((verdict) => (
        <li key={verdict.attachmentId} className="border-line px-3 py-2">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <code className="font-medium">{verdict.trigger}</code>
            <span className="text-s text-ink-3">→ {verdict.target.slug}</span>
            <span className="ml-auto">
              <StatusBadge face={verdictOutcomes[verdict.outcome]} label={verdict.outcome === "matched" ? "would fire" : undefined} />
            </span>
          </div>
          {verdict.reasons.length > 0 && (
            <ul className="mt-1 grid gap-1">
              {verdict.reasons.map((reason, index) => (
                <ReasonLine key={index} reason={reason} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

function ReasonLine({ reason: { pointer, expected, message, actual } }: { reason: Reason }) {
  return (
    <li className="text-s break-words text-ink-2">
      <code className="text-ink">{pointer === "" ? "the whole body" : visibleText(pointer, 200)}</code> {expected === null ? visibleText(message, 300) : `expected ${visibleText(expected, 200)}`}
      {", "}
      {actual === null ? "missing" : <>was {<code className="break-all text-ink">{visibleText(actual, 200)}</code>}</>}
    </li>
  );
}
