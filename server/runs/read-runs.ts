import { AppError } from "../contract/app-error.ts";
import type { Page, PageRequest } from "../contract/list.ts";
import type { Run, RunSummary } from "../contract/run.ts";
import { isEnded } from "../shared/runs/run-state.ts";
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

/** Returns one run. With `waitMs`, returns it when it has ended or the time has passed. Throws AppError `not_found`. */
export async function getRun(deps: { store: Pick<Store, "getRun" | "watch"> }, request: GetRunRequest): Promise<Run> {
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

/** Runs, newest first, without their payloads. */
export function listRuns(
  deps: { store: Pick<RunStore, "listRuns"> },
  p: { filter: RunFilter; page: PageRequest },
): Promise<Page<RunSummary>> {
  return deps.store.listRuns(p.filter, p.page);
}
