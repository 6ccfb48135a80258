import type { RunFilter, RunStore } from "../ports/store/run-store.ts";
import { type ActedRuns, type RunAction, actOnRuns } from "./act-on-runs.ts";
import { isEnded } from "./is-ended.ts";

/** Runs per call: small enough for a progress bar and for short writes of the store. */
const chunk = 50;

export interface BulkRequest {
  action: RunAction;
  filter: RunFilter;
  /** Only runs created before this time: those that the person saw counted. UTC milliseconds. */
  until: number;
  cursor: string | null;
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
