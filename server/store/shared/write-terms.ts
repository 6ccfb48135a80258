import { AppError } from "../../contract/app-error.ts";
import type { WriteTerms } from "../../ports/store/delivery-store.ts";

/** Why a write must not begin; `null`: it may. `needsMs`: the time that it needs at least. */
export function findObstacle(terms: WriteTerms | undefined, needsMs = 0): AppError | null {
  if (!terms) return null;
  if (terms.isAbandoned?.())
    return new AppError("store_unavailable", "The sender closed the connection before the write began.");
  return performance.now() + needsMs < terms.by ? null : outOfTime();
}

/** The error of a write that was not committed in the time that its caller waits. */
export function outOfTime(): AppError {
  return new AppError("store_unavailable", "The database did not write in time.");
}
