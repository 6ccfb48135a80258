import type { AgentTrace } from "../../../server/contract/agent-trace.ts";
import { formatCount, formatUsd, sayUsage } from "./usage-words.ts";

/** What a run has used so far, in a line. */
export function Totals({ trace, calls }: { trace: AgentTrace; calls: number }) {
  const usage = sayUsage(trace.usage);
  return (
    <dl aria-label="Used so far" className="flex flex-wrap gap-x-6 gap-y-1 border-b px-4 py-2 text-s text-ink-2 tabular-nums [&_dd]:font-[560] [&_dd]:text-ink [&>div]:flex [&>div]:gap-1.5">
      <div>
        <dt>model calls</dt>
        <dd>{formatCount(calls)}</dd>
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
          <dd>{trace.costUsd === null ? "not known" : formatUsd(trace.costUsd)}</dd>
        </div>
      )}
    </dl>
  );
}
