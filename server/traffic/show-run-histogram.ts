import type { RunStatus } from "../contract/run.ts";
import type { Histogram, Window } from "../contract/traffic.ts";
import { failedStatuses } from "../shared/runs/run-state.ts";
import type { Clock } from "../ports/clock.ts";
import type { RunFilter, RunStore } from "../ports/store/run-store.ts";
import { describeHistogram, frameOf } from "./show-histogram.ts";

const statusOrder = [
  "completed",
  "canceled",
  "waiting",
  "queued",
  "running",
  "failed",
  "timed_out",
] as const satisfies RunStatus[];

/**
 * Runs over time by their current status, in a window that ends now (default: 24 hours) or from `since` to `until`. The
 * filter is that of the list, except for the text, which would take too long.
 */
export async function showRunHistogram(
  deps: { store: Pick<RunStore, "countRuns">; clock: Clock },
  { window, filter: { text, ...filter } }: { window?: Window | undefined; filter: RunFilter },
): Promise<Histogram<RunStatus>> {
  const frame = frameOf(window, filter, deps.clock.now());
  const { since, until } = frame;
  const { buckets, countedSince } = await deps.store.countRuns({ ...filter, since, until }, frame.bucketMs);
  const present = new Set(buckets.map(({ status }) => status));
  // The usual statuses keep their place in the legend.
  const always: readonly RunStatus[] = filter.status
    ? [filter.status]
    : filter.unresolved
      ? failedStatuses
      : filter.needsApproval || filter.waitsForEvent
        ? ["waiting"]
        : filter.waitsForKey
          ? ["queued"]
          : ["completed", "failed"];
  return describeHistogram(frame, {
    kinds: statusOrder.filter((status) => present.has(status) || always.includes(status)),
    counts: buckets.map(({ at, status, count }) => ({ at, kind: status, count })),
    ignored: text === undefined ? [] : ["text"],
    countedSince,
  });
}
