import { CircleCheck, Hand, TimerOff } from "lucide-react";
import { PlainText } from "../../json/plain-text.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import type { Approval } from "./conversation.ts";

/** The decision on a call, the person, and the time. */
export function DecisionLine({ approval: { decision, decidedAt } }: { approval: Approval }) {
  if (!decision || decidedAt === null) return null;
  const isLate = decision.by === null && !decision.isApproved;
  const Icon = isLate ? TimerOff : decision.isApproved ? CircleCheck : Hand;
  return (
    <p className="flex items-start gap-1.5 border-t px-3 py-1.5 text-s text-ink-2">
      <Icon aria-hidden size={12} className={`mt-[3px] shrink-0 ${decision.isApproved ? "text-ok" : "text-ink-3"}`} />
      <span className="min-w-0">
        {isLate ? "Denied: no decision in time" : decision.isApproved ? "Approved by " : "Denied by "}
        {!isLate && (
          <strong className="font-[560] break-words text-ink">
            <PlainText text={sayWho(decision.by)} />
          </strong>
        )}
        , <RelativeTime iso={decidedAt} />
        {decision.reason !== null && (
          <>
            : “<PlainText text={decision.reason} />”
          </>
        )}
      </span>
    </p>
  );
}

/** In development, people have no accounts. */
export function sayWho(by: string | null): string {
  return by === null || by === "machine" ? "a person at this machine" : by;
}
