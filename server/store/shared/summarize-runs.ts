import type { RunStatus } from "../../contract/run.ts";
import type { TargetSummary } from "../../ports/store/traffic-store.ts";

interface RecentRun {
  status: RunStatus;
  startedAt: number | null;
  finishedAt: number | null;
}

/** Sums up at most so many of the runs; whoever gives more of them says that there are more. */
export function summarizeRuns(runs: readonly RecentRun[], most: number): Omit<TargetSummary, "target" | "lastRun"> {
  const counted = runs.slice(0, most);
  const withStatus = (...statuses: RunStatus[]) => counted.filter(({ status }) => statuses.includes(status));
  const completed = withStatus("completed");
  return {
    runs: counted.length,
    isCapped: runs.length > most,
    completed: completed.length,
    failed: withStatus("failed", "timed_out").length,
    open: withStatus("queued", "running", "waiting").length,
    p50Ms: median(
      completed.flatMap(({ startedAt, finishedAt }) =>
        startedAt === null || finishedAt === null ? [] : [finishedAt - startedAt],
      ),
    ),
  };
}

/** The lower of the two in the middle of an even number: a duration that there was. */
function median(durations: number[]): number | null {
  return durations.sort((a, b) => a - b)[Math.floor((durations.length - 1) / 2)] ?? null;
}
