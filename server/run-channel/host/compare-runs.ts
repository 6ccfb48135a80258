import type { RunClaim } from "../../ports/run-channel.ts";
import type { Hello } from "../messages.ts";

interface Comparison {
  /** The worker has these. If the progress of a run is unacknowledged, its end may be in the store already. */
  kept: RunClaim[];
  /** The worker no longer has these. */
  lost: RunClaim[];
  /** The store has these for the worker, but they did not reach it. */
  missing: RunClaim[];
}

/** Compares the runs that a worker reports with those that the store has for it. */
export function compareRuns(
  { runs, unacknowledged }: Pick<Hello, "runs" | "unacknowledged">,
  stored: readonly RunClaim[],
): Comparison {
  const inStore = new Map(stored.map(({ id, token }) => [id, token]));
  const inWorker = new Map(runs.map(({ id, token }) => [id, token]));
  const isKept = ({ id, token }: RunClaim) => inStore.get(id) === token || unacknowledged.includes(id);
  return {
    kept: runs.filter(isKept),
    lost: runs.filter((run) => !isKept(run)),
    missing: stored.filter(({ id, token }) => inWorker.get(id) !== token),
  };
}
