import type { Run } from "../contract/run.ts";
import type { Store } from "../ports/store.ts";
import { findRun } from "./find-run.ts";
import { isEnded } from "./is-ended.ts";
import { watchChanges } from "./watch-changes.ts";

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
