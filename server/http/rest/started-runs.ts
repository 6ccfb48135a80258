import type { NewRun } from "../../ports/store/run-store.ts";

/** The answer that says which runs were started: in the form of the webhook's answer. */
export function toStartedRuns(first: NewRun, runs: readonly NewRun[]) {
  return {
    ok: true as const,
    runId: first.id,
    runs: runs.map(({ id, trigger, target }) => ({ runId: id, trigger, target })),
  };
}

export function runLocation(run: NewRun): { Location: string } {
  return { Location: `/api/v1/runs/${run.id}` };
}
