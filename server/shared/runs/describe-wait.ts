import type { WaitTimes } from "../../contract/flow-simulation.ts";
import type { EventMatch, RunWait } from "../../contract/run.ts";
import { formatDuration, formatNumber } from "../format.ts";
import { shortJson } from "../json/short-json.ts";

/** What a run waits for: `key customer_7: behind run_…`, `concurrency 10/10`, `event order-shipped {"/order/id": "A1"}`. */
export function describeWait(wait: RunWait, { key }: { key: string | null }): string {
  if (wait.kind === "event") return `event ${wait.events.map(describeEvent).join(" or ")} until ${wait.until}`;
  if (wait.kind === "concurrency") return `concurrency ${formatNumber(wait.counted)}/${formatNumber(wait.limit)}`;
  const { runId, isBlocked } = wait;
  return `key ${key ?? ""}: ${isBlocked ? "blocked by" : "behind"} ${runId ?? "another run"}${isBlocked ? ", which has failed" : ""}`;
}

function describeEvent({ source, match }: { source: string; match: EventMatch }): string {
  return Object.keys(match).length === 0 ? source : `${source} ${shortJson(match)}`;
}

/** How long runs wait: `median 3.00 s, p95 1 min, longest 2 min 5 s`. */
export const describeWaitTimes = ({ p50Ms, p95Ms, maxMs }: WaitTimes): string =>
  `median ${formatDuration(p50Ms)}, p95 ${formatDuration(p95Ms)}, longest ${formatDuration(maxMs)}`;
