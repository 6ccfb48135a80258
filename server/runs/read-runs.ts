import { AppError } from "../contract/app-error.ts";
import type { Page, PageRequest } from "../contract/list.ts";
import type { Run, RunStatus, RunSummary } from "../contract/run.ts";
import { limitsOf } from "../domain/runs/run-limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import { failedStatuses, isEnded } from "../shared/runs/run-state.ts";
import type { Store } from "../ports/store.ts";
import type { RunFilter, RunStore } from "../ports/store/run-store.ts";
import { watchChanges } from "../ports/watch-changes.ts";

export interface GetRunRequest {
  id: string;
  /** Only if this key started the run. */
  keyId?: string | undefined;
  /** Maximum time to wait for the run to end; 0 returns immediately. */
  waitMs?: number;
  /** Aborted when the caller disconnects. */
  signal?: AbortSignal;
}

interface ReadRunsDeps {
  store: Pick<RunStore, "findWaits">;
  project: ProjectReader;
  clock: Clock;
}

/**
 * Returns one run, and what it waits for. With `waitMs`, returns it when it has ended or the time has passed. Throws
 * AppError `not_found`.
 */
export async function getRun(
  deps: ReadRunsDeps & { store: Pick<Store, "getRun" | "watch"> },
  request: GetRunRequest,
): Promise<Run> {
  const [run] = await withWaits(deps, [await readRun(deps, request)], request);
  if (!run) throw new Error("withWaits returns all runs");
  return run;
}

async function readRun(deps: { store: Pick<Store, "getRun" | "watch"> }, request: GetRunRequest): Promise<Run> {
  if (!request.waitMs) return findRun(deps, request);
  const limits = [AbortSignal.timeout(request.waitMs), ...(request.signal ? [request.signal] : [])];
  const signal = AbortSignal.any(limits);
  const changes = watchChanges(deps.store, signal);
  try {
    let run = await findRun(deps, request);
    while (!isEnded(run.status) && !signal.aborted) {
      await changes.next();
      run = await findRun(deps, request);
    }
    return run;
  } finally {
    changes.stop();
  }
}

/** Returns one run. Throws AppError `not_found`. With `keyId`, only runs that this key started exist. */
export async function findRun(
  deps: { store: Pick<RunStore, "getRun"> },
  p: { id: string; keyId?: string | undefined },
): Promise<Run> {
  const stored = await deps.store.getRun(p.id);
  if (!stored || (p.keyId !== undefined && stored.keyId !== p.keyId))
    throw new AppError("not_found", `There is no run ${JSON.stringify(p.id)}.`);
  const { keyId: _, ...run } = stored;
  return run;
}

/** Runs, newest first, without their payloads, and what they wait for. */
export async function listRuns(
  deps: ReadRunsDeps & { store: Pick<RunStore, "listRuns"> },
  { filter, page }: { filter: RunFilter; page: PageRequest },
): Promise<Page<RunSummary>> {
  const { data, ...rest } = await deps.store.listRuns(filter, page);
  return { ...rest, data: await withWaits(deps, data, filter) };
}

/** The existing runs among these, newest first, and what they wait for. */
export async function findRuns(
  deps: ReadRunsDeps & { store: Pick<RunStore, "findRuns"> },
  ids: readonly string[],
): Promise<RunSummary[]> {
  return withWaits(deps, await deps.store.findRuns(ids), {});
}

/** A webhook key sees only the runs that it started: `keyId`. */
async function withWaits<Listed extends RunSummary>(
  { store, project, clock }: ReadRunsDeps,
  runs: readonly Listed[],
  { keyId }: { keyId?: string | undefined },
): Promise<Listed[]> {
  const ids = runs.flatMap(({ id, status }) => (mayWait.has(status) ? [id] : []));
  if (ids.length === 0) return [...runs];
  const limits = new Map(limitsOf(project.current().manifest));
  const waits = await store.findWaits({ ids, limits, now: clock.now() });
  return runs.map((run) => {
    const { waitsFor, ...others } = waits.get(run.id) ?? {};
    const shown = waitsFor?.kind === "key" && keyId !== undefined ? { ...waitsFor, runId: null } : waitsFor;
    return { ...run, ...others, ...(shown && { waitsFor: shown }) };
  });
}

/** A failed run may block its key. */
const mayWait: ReadonlySet<RunStatus> = new Set(["queued", "waiting", ...failedStatuses]);
