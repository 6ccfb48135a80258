import { AppError } from "../contract/app-error.ts";
import { resultBy } from "../domain/event-loop.ts";
import type { WriteTerms } from "../ports/store/delivery-store.ts";

/**
 * Every webhook has its response within ten seconds, without the time in which its body arrives. The store has a little
 * less: it knows whether a write was committed before the response is due.
 */
const limits = { storeMs: 9_500, responseMs: 9_800 };

/** The time limit of one webhook: the terms of its writes. */
export interface ResponseLimit extends WriteTerms {
  /** The result, or a rejection with AppError `store_unavailable` when the response is due. */
  wait<Result>(result: Promise<Result>): Promise<Result>;
  /** Stops the clock until the promise settles: the sender sends its body. */
  pause<Result>(result: Promise<Result>): Promise<Result>;
}

/** `isAbandoned`: whether the sender has closed the connection. */
export function createResponseLimit(isAbandoned: () => boolean): ResponseLimit {
  let startedAt = performance.now();
  return {
    get by() {
      return startedAt + limits.storeMs;
    },
    isAbandoned,
    wait: (result) => resultBy(startedAt + limits.responseMs, result, overdue),
    async pause(result) {
      const since = performance.now();
      try {
        return await result;
      } finally {
        startedAt += performance.now() - since;
      }
    },
  };
}

function overdue(): AppError {
  return new AppError("store_unavailable", "The database gave no result in time.");
}
