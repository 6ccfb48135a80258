"use client";

import { Check, Hand } from "lucide-react";
import { useState } from "react";
import type { AgentConversation, Approval } from "../../../server/contract/agent/conversation.ts";
import type { Run } from "../../../server/contract/run.ts";
import { useDisabledReason } from "../../auth/access.tsx";
import { JsonView } from "../../json/json-view.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { DecideDialog, DecisionLine, actorName } from "./approval-decision.tsx";
import { formatCount } from "../../../server/shared/format.ts";

const maxShown = 10;

/** The pending approvals of a run. Decided ones stay visible until the reader leaves the page. */
export function ApprovalsPanel({ run, approvals }: { run: Run } & Pick<AgentConversation, "approvals">) {
  const open = approvals.filter(({ isOpen }) => isOpen);
  const [asking, setAsking] = useState<{ name: string; isApproved: boolean } | null>(null);
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const unseen = open.filter(({ name }) => !seen.has(name));
  if (unseen.length > 0) setSeen(new Set([...seen, ...unseen.map(({ name }) => name)]));
  const decided = approvals.filter(({ name, decidedAt }) => seen.has(name) && decidedAt !== null);
  const asked = approvals.find(({ name }) => name === asking?.name);
  if (open.length === 0 && decided.length === 0 && !asked) return null;
  return (
    <section
      aria-label="Approvals"
      className={`mb-4 overflow-hidden rounded-l border bg-panel ${open.length > 0 ? "border-wait" : ""}`}
    >
      {open.slice(0, maxShown).map((approval) => (
        <OpenApproval
          key={approval.name}
          approval={approval}
          onDecide={(isApproved) => setAsking({ name: approval.name, isApproved })}
        />
      ))}
      {open.length > maxShown && (
        <p className="border-b px-4 py-2 text-s text-ink-2 last:border-0">
          {formatCount(open.length - maxShown, "more approval")} pending, shown as these are decided.
        </p>
      )}
      <p role="status" className="sr-only">
        {decided.map(decisionText).join(" ")}
      </p>
      <div>
        {decided.slice(-maxShown).map((approval) => (
          <div
            key={approval.name}
            className="flex flex-wrap items-center gap-x-2 px-4 py-1.5 not-first:border-t [&>p]:border-0 [&>p]:p-0"
          >
            <code className="text-s font-semibold break-all">
              <PlainText text={approval.request.toolName} />
            </code>
            <DecisionLine approval={approval} />
          </div>
        ))}
      </div>
      {asking && asked && (
        <DecideDialog
          key={asking.name}
          run={run}
          approval={asked}
          others={open.length - 1}
          isApproved={asking.isApproved}
          onClose={() => setAsking(null)}
        />
      )}
    </section>
  );
}

/** For screen readers. Has no relative time, which would be announced every second. */
function decisionText({ request, decision }: Approval): string {
  return decision?.by === null
    ? `${request.toolName} was denied: the approval timed out.`
    : `${request.toolName} was ${decision?.isApproved ? "approved" : "denied"} by ${actorName(decision?.by ?? null)}.`;
}

function OpenApproval({ approval, onDecide }: { approval: Approval; onDecide: (isApproved: boolean) => void }) {
  const disabledReason = useDisabledReason("operate");
  const { toolName, input } = approval.request;
  return (
    <div role="group" aria-label={`Approval of ${toolName}`} className="border-b last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 bg-wait-soft px-4 py-2">
        <p className="flex min-w-0 flex-1 basis-72 items-start gap-2">
          <Hand aria-hidden size={15} className="mt-0.5 shrink-0 text-wait" />
          <span className="min-w-0">
            <strong className="font-semibold">
              {disabledReason === undefined ? "Waiting for your approval: " : "Waiting for an operator to approve: "}
            </strong>
            <code className="font-semibold break-all">
              <PlainText text={toolName} />
            </code>
            <span className="block text-s text-ink-2">
              Requested <RelativeTime iso={approval.requestedAt} />.
              {approval.until !== null && (
                <>
                  {" "}
                  Without a decision, it is denied <RelativeTime iso={approval.until} />.
                </>
              )}
              {disabledReason !== undefined && ` ${disabledReason}.`}
            </span>
          </span>
        </p>
        {disabledReason === undefined && (
          <div className="flex gap-2">
            <Button tone="danger" icon={Hand} onClick={() => onDecide(false)}>
              Deny…
            </Button>
            <Button tone="primary" icon={Check} onClick={() => onDecide(true)}>
              Approve…
            </Button>
          </div>
        )}
      </div>
      <JsonView
        text={JSON.stringify(input)}
        label={`Arguments of ${toolName}`}
        copyLabel="Copy the arguments"
        maxHeight={260}
      />
    </div>
  );
}
