import type { WaitTimes } from "../../contract/flow-simulation.ts";
import type { AwaitedEvent, RunWait } from "../../contract/run.ts";
import { formatCount, formatDuration, formatNumber, formatUtc } from "../format.ts";
import { shortJson } from "../json/short-json.ts";

/**
 * What a run waits for: `key customer_7: behind run_…`, `concurrency 10/10`, `event order-shipped {"/order/id": "A1"}`,
 * `child run_…`.
 */
export function describeWait(wait: RunWait, { key }: { key: string | null }): string {
  if (wait.kind === "event") return `event ${describeEvents(wait.events)} until ${formatUtc(wait.until)}`;
  if (wait.kind === "concurrency") return `concurrency ${formatNumber(wait.counted)}/${formatNumber(wait.limit)}`;
  if (wait.kind === "child") return `child ${wait.runId}${describeMore(wait.count - 1)}`;
  const { runId, isBlocked } = wait;
  return `key ${key ?? ""}: ${isBlocked ? "blocked by" : "behind"} ${runId ?? "another run"}${isBlocked ? ", which has failed" : ""}`;
}

/** The events of which the first ends a wait: `order-shipped {"/order/id": "A1"} or order-canceled`. */
export function describeEvents(events: readonly AwaitedEvent[]): string {
  return events
    .map(({ source, match }) => (Object.keys(match).length === 0 ? source : `${source} ${shortJson(match)}`))
    .join(" or ");
}

const maxNamed = 3;

/** The runs that a delivery woke: `woke run_1, run_2, run_3 and 4 more runs`. */
export function describeWoken(woke: readonly { runId: string }[]): string {
  const others = woke.length - maxNamed;
  const named = woke.slice(0, maxNamed).map(({ runId }) => runId);
  return `woke ${named.join(", ")}${describeMore(others)}`;
}

const describeMore = (runs: number): string => (runs > 0 ? ` and ${formatCount(runs, "more run")}` : "");

/** How long runs wait: `median 3.00 s, p95 1 min, longest 2 min 5 s`. */
export const describeWaitTimes = ({ p50Ms, p95Ms, maxMs }: WaitTimes): string =>
  `median ${formatDuration(p50Ms)}, p95 ${formatDuration(p95Ms)}, longest ${formatDuration(maxMs)}`;
