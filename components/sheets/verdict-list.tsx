import type { Reason, Verdict } from "../../server/contract/verdict.ts";
import { visibleText } from "../../server/domain/schema/visible-text.ts";
import { reasonParts } from "../deliveries/say-reason.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { verdictOutcomes } from "../ui/statuses.ts";

/** The verdict of each trigger in compact form: JSON Pointer, expected value, received value. */
export function VerdictList({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul aria-label="Trigger verdicts" className="divide-y rounded-m border">
      {verdicts.map((verdict) => (
        <li key={verdict.attachmentId} className="border-line px-3 py-2">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <code className="font-medium">{verdict.trigger}</code>
            <span className="text-s text-ink-3">→ {verdict.target.slug}</span>
            <span className="ml-auto">
              <StatusBadge
                face={verdictOutcomes[verdict.outcome]}
                label={verdict.outcome === "matched" ? "would fire" : undefined}
              />
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

function ReasonLine({ reason }: { reason: Reason }) {
  const { where, said, was } = reasonParts(reason);
  return (
    <li className="text-s break-words text-ink-2">
      {where !== null && <code className="text-ink">{visibleText(where, 200)}</code>} {visibleText(said, 300)}
      {was !== null &&
        (reason.actual === null ? (
          `, ${was}`
        ) : (
          <>
            , was <code className="break-all text-ink">{visibleText(was, 200)}</code>
          </>
        ))}
    </li>
  );
}
