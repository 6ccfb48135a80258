import type { RunSummary } from "../../../server/contract/run.ts";

interface DurationBar {
  id: string;
  status: RunSummary["status"];
  ms: number;
  /** Share of the strip's height, 0–1. Square root scale, so that one long run does not flatten the others. */
  height: number;
}

/** Bars for ended runs, oldest first. */
export function durationBars(
  runs: readonly Pick<RunSummary, "id" | "status" | "startedAt" | "finishedAt">[],
): DurationBar[] {
  const ended = runs.flatMap(({ id, status, startedAt, finishedAt }) =>
    startedAt && finishedAt ? [{ id, status, ms: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) }] : [],
  );
  const longest = Math.max(1, ...ended.map(({ ms }) => ms));
  return ended.map((run) => ({ ...run, height: Math.max(0.06, Math.sqrt(run.ms / longest)) })).toReversed();
}
