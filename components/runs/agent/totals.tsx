"use client";

import { useQuery } from "@tanstack/react-query";
import type { AgentTrace } from "../../../server/contract/agent-trace.ts";
import type { Target } from "../../../server/contract/target.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { budgetUse, sayUsage } from "./usage-words.ts";
import { formatNumber, formatUsd } from "../../../server/domain/format.ts";

/** The usage of a run so far, and the rest of the agent's current budget. */
export function Totals({ trace, calls, target }: { trace: AgentTrace; calls: number; target: Target }) {
  const budget = useQuery(useTRPC().targets.get.queryOptions(target)).data?.agent?.budget;
  const usage = sayUsage(trace.usage);
  return (
    <dl
      aria-label="Usage so far"
      className="flex flex-wrap gap-x-6 gap-y-1 border-b px-4 py-2 text-s text-ink-2 tabular-nums [&_dd]:font-[560] [&_dd]:text-ink [&>div]:flex [&>div]:gap-1.5"
    >
      <div>
        <dt>model calls</dt>
        <dd>{formatNumber(calls)}</dd>
      </div>
      {usage && (
        <div>
          <dt>tokens</dt>
          <dd>{usage}</dd>
        </div>
      )}
      {calls > 0 && (
        <div>
          <dt>cost</dt>
          <dd>{trace.costUsd === null ? "unknown" : formatUsd(trace.costUsd)}</dd>
        </div>
      )}
      {budget &&
        budgetUse(budget, trace).map(({ of, left, limit }) => (
          <div key={of}>
            <dt>{of === "tokens" ? "token budget" : "cost budget"}</dt>
            <dd className={left === 0 ? "text-bad!" : ""}>
              {of === "tokens"
                ? `${formatNumber(left)} of ${formatNumber(limit)} left`
                : `${formatUsd(left)} of ${formatUsd(limit)} left`}
            </dd>
          </div>
        ))}
    </dl>
  );
}
