import { AppError } from "../contract/app-error.ts";
import type { Run } from "../contract/run.ts";
import { queueFull } from "../domain/problem.ts";
import { isEnded } from "../domain/runs/run-state.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { NewRun, RunFilter, RunStore } from "../ports/store/run-store.ts";
import { findRun } from "./read-runs.ts";
import { planReplay } from "./replay-run.ts";

/** Runs per call: small enough for a progress bar and for short writes of the store. */
const chunk = 50;

export interface BulkRequest {
  action: RunAction;
  filter: RunFilter;
  /** Only runs created before this time: those that the person saw counted. UTC milliseconds. */
  until: number;
  cursor: string | null;
}

export type RunAction = "cancel" | "replay";

export interface ActedRuns {
  done: number;
  /** The runs that failed, each with the reason. */
  failed: { id: string; message: string }[];
}

interface ActOnRunsDeps {
  store: Pick<RunStore, "getRun" | "createFittingRuns" | "requestCancel">;
  project: ProjectReader;
  signals: Signals;
  clock: Clock;
}

/** Cancels or replays each of these runs. A run that cannot be changed is reported and does not affect the others. */
export async function actOnRuns(
  deps: ActOnRunsDeps,
  request: { action: RunAction; ids: readonly string[] },
): Promise<ActedRuns> {
  const ids = [...new Set(request.ids)];
  return request.action === "cancel" ? cancelAll(deps, ids) : replayAll(deps, ids);
}

async function cancelAll(deps: ActOnRunsDeps, ids: readonly string[]): Promise<ActedRuns> {
  const acted: ActedRuns = { done: 0, failed: [] };
  for (const id of ids) {
    const result = await deps.store.requestCancel(id, deps.clock.now());
    if (result === "requested") deps.signals.cancelRequested(id);
    if (result === "canceled" || result === "requested") acted.done += 1;
    else
      acted.failed.push({
        id,
        message: result === "ended" ? "The run had already ended." : "The run no longer exists.",
      });
  }
  return acted;
}

/** The new runs are written together: all that are possible and fit into their queues, or none if the store fails. */
async function replayAll(deps: ActOnRunsDeps, ids: readonly string[]): Promise<ActedRuns> {
  const sources = deps.project.current();
  const now = deps.clock.now();
  const planned = new Map<string, NewRun>();
  const failed: ActedRuns["failed"] = [];
  for (const id of ids) {
    try {
      const run = planReplay({ old: await findRun(deps, { id }), change: null, sources, now });
      planned.set(run.id, run);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
      failed.push({ id, message: error.message });
    }
  }
  if (planned.size === 0) return { done: 0, failed };
  const full = await deps.store.createFittingRuns([...planned.values()]);
  if (full.length < planned.size) deps.signals.runsQueued();
  failed.push(
    ...full.map(({ id, queue }) => ({ id: planned.get(id)?.replayOf ?? id, message: queueFull(queue).message })),
  );
  return { done: planned.size - full.length, failed };
}

/**
 * Cancels or replays the next runs of a filter, newest first; call again with `nextCursor` until it is `null`. Replays
 * created in the meantime are newer than `until` and the cursor, so they are never replayed themselves. A cancel
 * ignores runs that have ended.
 */
export async function actOnFilteredRuns(
  deps: Parameters<typeof actOnRuns>[0] & { store: Pick<RunStore, "listRuns"> },
  request: BulkRequest,
): Promise<ActedRuns & { nextCursor: string | null }> {
  const { action, filter, cursor } = request;
  // A client's clock may be ahead of ours.
  const until = Math.min(request.until, filter.until ?? Infinity, deps.clock.now());
  const { data, nextCursor } = await deps.store.listRuns({ ...filter, until }, { limit: chunk, cursor });
  const runs = action === "cancel" ? data.filter(({ status }) => !isEnded(status)) : data;
  const acted = await actOnRuns(deps, { action, ids: runs.map(({ id }) => id) });
  return { ...acted, nextCursor };
}

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
