import { AppError } from "../contract/app-error.ts";
import type { ActedRuns, BulkPage, RunAction } from "../contract/run-bulk.ts";
import type { Run } from "../contract/run.ts";
import { queueFull } from "../domain/problem.ts";
import { describeObstacle, findReplayObstacle, findResumeObstacle, type Obstacle } from "../domain/runs/resume.ts";
import { hasFailed, isEnded } from "../shared/runs/run-state.ts";
import type { Clock } from "../ports/clock.ts";
import type { InputChecks } from "../ports/input-checks.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import type { RunFilter, RunStore, RunToResume } from "../ports/store/run-store.ts";
import { findRun } from "./read-runs.ts";
import { planReplay } from "./replay-run.ts";
import { fatalChildOf, type ResumeStore, toResume, toResumeChildren } from "./resume-run.ts";

/** Maximum runs per call: few enough for a progress bar and for short writes of the store. */
const maxRunsPerCall = 50;

export interface BulkRequest {
  action: RunAction;
  filter: RunFilter;
  /**
   * Only runs created before this time, and to resume, only those that failed before it: the runs that the person saw.
   * UTC milliseconds. `null`: now.
   */
  until: number | null;
  cursor: string | null;
  /** Maximum runs of this call, up to 50. */
  limit?: number | undefined;
  /** Changes nothing. The result says what the call would do. */
  isDryRun?: boolean | undefined;
}

interface ActOnRunsDeps {
  store: ResumeStore & Pick<RunStore, "createFittingRuns" | "requestCancel">;
  originals: Pick<RunStore, "getRun">;
  project: ProjectReader;
  inputs: InputChecks;
  signals: Signals;
  clock: Clock;
}

interface ActOptions {
  /** Only runs that failed before this time are resumed. */
  failedBefore?: number;
  isDryRun?: boolean | undefined;
}

/**
 * Cancels, resumes or replays each of these runs. A run that cannot be changed is reported and does not affect the
 * others. A run that has a replay, or has not ended, is not replayed.
 */
export async function actOnRuns(
  deps: ActOnRunsDeps,
  request: { action: RunAction; ids: readonly string[] },
  options: ActOptions = {},
): Promise<ActedRuns> {
  const ids = [...new Set(request.ids)];
  switch (request.action) {
    case "cancel":
      return cancelAll(deps, ids, options);
    case "resume":
      return resumeAll(deps, ids, options);
    case "replay":
      return replayAll(deps, ids, options);
  }
}

async function cancelAll(deps: ActOnRunsDeps, ids: readonly string[], { isDryRun }: ActOptions): Promise<ActedRuns> {
  const notes = createNotes();
  /** Other runs of their keys may be due. */
  let isAnyDue = false;
  for (const id of ids) {
    const result = isDryRun ? "canceled" : await deps.store.requestCancel(id, deps.clock.now());
    if (result === "requested") deps.signals.cancelRequested(id);
    if (result === "canceled" || result === "released") isAnyDue = true;
    if (result === "canceled" || result === "requested" || result === "released") notes.done(id);
    else notes.failed(id, result === "ended" ? "The run had already ended." : missing);
  }
  if (isAnyDue && !isDryRun) deps.signals.runsQueued();
  return notes.result();
}

/** The runs are written together: all that can be resumed and fit into their queues, or none if the store fails. */
async function resumeAll(
  deps: ActOnRunsDeps,
  ids: readonly string[],
  { isDryRun, failedBefore = Infinity }: ActOptions,
): Promise<ActedRuns> {
  const notes = createNotes();
  const planned: RunToResume[] = [];
  const fatal = new Map<string, string | null>();
  const sources = deps.project.current();
  for (const id of ids)
    await notes.orFail(id, async () => {
      const old = await findRun(deps, { id });
      const obstacle = findResumeObstacle(old);
      if (obstacle) notes.skipped(id, obstacle);
      else if (Date.parse(old.finishedAt ?? "") >= failedBefore) notes.skipped(id, { kind: "resumed" });
      else planned.push(toResume(old, sources));
      fatal.set(id, fatalChildOf(old));
    });
  if (!isDryRun)
    for (const { id } of planned.slice())
      for (const child of await toResumeChildren(deps, { id }, fatal.get(id) ?? null))
        if (planned.every((one) => one.id !== child.id)) planned.push(child);
  const results = isDryRun || planned.length === 0 ? [] : await deps.store.resumeRuns(planned, deps.clock.now());
  for (const [at, { id }] of planned.entries()) notes.left(id, results[at] ?? null);
  if (!isDryRun && notes.result().done > 0) deps.signals.runsQueued();
  return notes.result();
}

/** The new runs are written together: all that are possible and fit into their queues, or none if the store fails. */
async function replayAll(deps: ActOnRunsDeps, ids: readonly string[], { isDryRun }: ActOptions): Promise<ActedRuns> {
  const notes = createNotes();
  const sources = deps.project.current();
  const now = deps.clock.now();
  const planned: NewRun[] = [];
  for (const id of ids)
    await notes.orFail(id, async () => {
      const old = await findRun({ store: deps.originals }, { id });
      const obstacle = findReplayObstacle(old);
      if (obstacle) return notes.skipped(id, obstacle);
      planned.push({ ...(await planReplay(deps, { old, change: null, sources, now })), isOnlyReplay: true });
    });
  const left = isDryRun || planned.length === 0 ? [] : await deps.store.createFittingRuns(planned);
  const byId = new Map(left.map((one) => [one.id, one]));
  for (const { id, replayOf } of planned) notes.left(replayOf ?? id, byId.get(id) ?? null, isDryRun ? null : id);
  if (left.length < planned.length && !isDryRun) deps.signals.runsQueued();
  return notes.result();
}

const missing = "The run no longer exists.";

/** Collects what happened to each run. */
function createNotes() {
  const acted: ActedRuns = { done: 0, runs: [], skipped: [], failed: [] };
  const notes = {
    done(id: string, replayedAs: string | null = null): void {
      acted.runs.push({ id, replayedAs });
    },
    skipped(id: string, obstacle: Obstacle): void {
      acted.skipped.push({ id, message: describeObstacle(obstacle) });
    },
    failed(id: string, message: string): void {
      acted.failed.push({ id, message });
    },
    /** `null`: it was written. */
    left(
      id: string,
      left: Awaited<ReturnType<RunStore["resumeRuns"]>>[number],
      replayedAs: string | null = null,
    ): void {
      if (!left) notes.done(id, replayedAs);
      else if ("queue" in left) notes.failed(id, queueFull(left.queue).message);
      else if (left.obstacle === "missing") notes.failed(id, missing);
      else notes.skipped(id, left.obstacle);
    },
    /** Reports an expected failure of one run. */
    async orFail(id: string, plan: () => Promise<void>): Promise<void> {
      try {
        await plan();
      } catch (error) {
        if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
        notes.failed(id, error.message);
      }
    },
    result: (): ActedRuns => ({ ...acted, done: acted.runs.length }),
  };
  return notes;
}

/**
 * Cancels, resumes or replays the next runs of a filter, newest first; call again with `until` and `nextCursor` until
 * the latter is `null`. Safe to repeat, and to run several times at once:
 *
 * - Replays created in the meantime are newer than `until`, so they are never replayed themselves.
 * - A run gets at most one replay from bulk actions: a run that has one is skipped. A replay is replayed only if it
 *   failed.
 * - Only unresolved runs are resumed. A run that was resumed is one again only if it fails, after `until`.
 */
export async function actOnFilteredRuns(
  deps: ActOnRunsDeps & { store: Pick<RunStore, "listRuns"> },
  request: BulkRequest,
): Promise<BulkPage> {
  const { action, cursor, isDryRun, limit = maxRunsPerCall } = request;
  const filter: RunFilter = action === "resume" ? { ...request.filter, unresolved: true } : request.filter;
  const now = deps.clock.now();
  // A client's clock may be ahead of ours.
  const started = Math.min(request.until ?? now, now);
  const until = Math.min(started, filter.until ?? Infinity);
  const page = { limit: Math.min(limit, maxRunsPerCall), cursor };
  const { data, nextCursor } = await deps.store.listRuns({ ...filter, until }, page);
  const runs = data.filter(({ status, replayOf }) => {
    if (action === "cancel") return !isEnded(status);
    return action === "resume" || replayOf === null || hasFailed(status);
  });
  const acted = await actOnRuns(deps, { action, ids: runs.map(({ id }) => id) }, { isDryRun, failedBefore: started });
  return { ...acted, nextCursor, until: new Date(started).toISOString() };
}

/**
 * Cancels a run and returns it: `canceled` if it was not running, otherwise still `running` until its worker has ended
 * it. A failed run that blocks its key stays failed, and the key is free. Throws AppError `not_found` or `run_ended`.
 */
export async function cancelRun(
  deps: { store: Pick<RunStore, "requestCancel" | "getRun">; signals: Signals; clock: Clock },
  id: string,
): Promise<Run> {
  const result = await deps.store.requestCancel(id, deps.clock.now());
  if (result === "requested") deps.signals.cancelRequested(id);
  // Another run of its key may be due.
  if (result === "canceled" || result === "released") deps.signals.runsQueued();
  const run = await findRun(deps, { id });
  if (result === "ended")
    throw new AppError("run_ended", `Run ${id} is already ${run.status}. Replay it to run it again.`);
  return run;
}
