import { type Operation, resultOf } from "./operation.ts";

interface Counts {
  /** The time of the delivery with this number, from 0, newest first; `null`: there are fewer. */
  nthNewest(n: number): number | null | Promise<number | null>;
  /** The number of requests that were rejected with 401 at or after that time. */
  countUnauthorized(since: number): number | Promise<number>;
}

/**
 * The time of the oldest of the `newest` deliveries that count; `null`: there are no more than that. Requests that were
 * rejected with 401 do not count. An index answers each question: the time first goes back too far, by all of these
 * requests, and then forward by those before it.
 */
export function* findOldestOf(newest: number, counts: Counts): Operation<number | null> {
  let skipped = yield* resultOf(counts.countUnauthorized(0));
  if ((yield* resultOf(counts.nthNewest(newest + skipped))) === null) return null;
  for (;;) {
    const at = yield* resultOf(counts.nthNewest(newest - 1 + skipped));
    if (at === null) return null;
    const later = yield* resultOf(counts.countUnauthorized(at));
    if (later >= skipped) return at;
    skipped = later;
  }
}
