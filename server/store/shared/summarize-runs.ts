import type { RunStatus } from "../../contract/run.ts";
import type { TargetSummary } from "../../ports/store/traffic-store.ts";

interface RecentRun {
  status: RunStatus;
  startedAt: number | null;
  finishedAt: number | null;
}

/** Summarizes at most `maxRuns` of the runs. If there are more, the summary is capped. */
export function summarizeRuns(runs: readonly RecentRun[], maxRuns: number): Omit<TargetSummary, "target" | "lastRun"> {
  const counted = runs.slice(0, maxRuns);
  const withStatus = (...statuses: RunStatus[]) => counted.filter(({ status }) => statuses.includes(status));
  const completed = withStatus("completed");
  return {
    runs: counted.length,
    isCapped: runs.length > maxRuns,
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

/** Of an even number, the lower of the two middle values: an actual duration. */
function median(durations: number[]): number | null {
  return durations.sort((a, b) => a - b)[Math.floor((durations.length - 1) / 2)] ?? null;
}
