import { AppError } from "../contract/app-error.ts";
import type { Run } from "../contract/run.ts";
import type { Clock } from "../ports/clock.ts";
import type { Signals } from "../ports/signals.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { findRun } from "./find-run.ts";

/**
 * Cancels a run and returns it: `canceled` if it was not running, otherwise still `running` until its worker has ended
 * it. Throws AppError `not_found` or `run_ended`.
 */
export async function cancelRun(
  deps: { store: Pick<RunStore, "requestCancel" | "getRun">; signals: Signals; clock: Clock },
  id: string,
): Promise<Run> {
  const result = await deps.store.requestCancel(id, deps.clock.now());
  if (result === "requested") deps.signals.cancelRequested(id);
  const run = await findRun(deps, { id });
  if (result === "ended")
    throw new AppError("run_ended", `Run ${id} is already ${run.status}. Replay it to run it again.`);
  return run;
}
