import type { Json } from "../../contract/json.ts";
import { formatBytes } from "../../domain/format.ts";
import type { StepRecord } from "../../ports/store/engine-store.ts";
import { FinalFailure } from "../run-errors.ts";

/** The limit of everything that the steps of a run have stored: all of it is read when the run continues. */
export const maxStoredBytes = 64_000_000;
/** What a row has besides its name and its result. */
const rowBytes = 200;

export interface StoredBytes {
  /** Throws a FinalFailure if the steps of the run have no room for another one. */
  requireRoom(key: string): void;
  /** Counts a result or a failure. Throws a FinalFailure if it has no room: then it is not counted. */
  add(key: string, stored: Json): void;
}

/** Counts what the steps of a run store, with what earlier executions have stored. */
export function countStoredBytes(steps: readonly Pick<StepRecord, "name" | "result">[]): StoredBytes {
  /** Counted when it is needed: most executions add nothing to many stored steps. */
  let total: number | null = null;
  const before = () => (total ??= steps.reduce((sum, { name, result }) => sum + bytesOf(name, result), 0));

  function fail(key: string, what: string): never {
    throw new FinalFailure(
      "StoredResultsTooLarge",
      `The steps of this run have stored ${formatBytes(before())}, and the limit is ${formatBytes(maxStoredBytes)}. ${what} step ${key} has no room. Store large data elsewhere, for example in a bucket, and return references; or divide the work among several runs.`,
    );
  }

  return {
    requireRoom(key) {
      if (before() + rowBytes > maxStoredBytes) fail(key, "Another");
    },
    add(key, stored) {
      const bytes = bytesOf(key, stored);
      if (before() + bytes > maxStoredBytes) fail(key, `The result of ${formatBytes(bytes)} of`);
      total = before() + bytes;
    },
  };
}

const bytesOf = (name: string, stored: Json): number =>
  rowBytes + Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(stored));
