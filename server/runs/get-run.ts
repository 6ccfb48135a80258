import type { Run } from "../contract/run.ts";
import type { Store } from "../ports/store.ts";
import { findRun } from "./find-run.ts";
import { isEnded } from "./is-ended.ts";
import { watchChanges } from "./watch-changes.ts";

export interface GetRunRequest {
  id: string;
  /** Only if this key started it. */
  keyId?: string | undefined;
  /** Longest time to hold the answer for the run to end; 0 answers at once. */
  waitMs?: number;
  /** The caller went away. */
  signal?: AbortSignal;
}

/** One run. With `waitMs`, as soon as it has ended, or as it is when the time has passed. Throws AppError `not_found`. */
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
