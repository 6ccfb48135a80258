import type { Json } from "../../contract/json.ts";
import { formatBytes } from "../../shared/format.ts";
import type { StepRecord } from "../../ports/store/engine-store.ts";
import { FinalFailure } from "../run-errors.ts";

/** The limit of everything that the steps of a run have stored: all of it is read when the run continues. */
export const maxStoredBytes = 64_000_000;
/** What a row has besides its name and its result. */
const rowBytes = 200;

export interface StoredBytes {
  /** Throws a FinalFailure if the steps of the run have no room for another one. */
  requireRoom(key: string): void;
  /** Counts a result. Throws a FinalFailure if it has no room: then it is not counted. */
  add(key: string, stored: Json): void;
  /** Counts what is stored in any case: a failure, or the request of an approval. */
  count(key: string, stored: Json): void;
}

/** Counts what the steps of a run store, with what earlier executions have stored. */
export function countStoredBytes(steps: readonly Pick<StepRecord, "name" | "result">[]): StoredBytes {
  /** By name. Counted when it is needed: most executions add nothing to many stored steps. */
  let counted: { bytes: Map<string, number>; total: number } | null = null;

  function read() {
    if (counted) return counted;
    const bytes = new Map(steps.map(({ name, result }) => [name, bytesOf(name, result)]));
    counted = { bytes, total: [...bytes.values()].reduce((sum, size) => sum + size, 0) };
    return counted;
  }

  /** A row replaces an earlier one with its name. */
  function replace(key: string, size: number): void {
    const { bytes, total } = read();
    const replaced = bytes.get(key) ?? 0;
    counted = { bytes: bytes.set(key, size), total: total - replaced + size };
  }

  function fail(key: string, what: string): never {
    throw new FinalFailure(
      "StoredResultsTooLarge",
      `The steps of this run have stored ${formatBytes(read().total)}, and the limit is ${formatBytes(maxStoredBytes)}. ${what} step ${key} has no room. Store large data elsewhere, for example in a bucket, and return references; or divide the work among several runs.`,
    );
  }

  return {
    requireRoom(key) {
      if (read().total + rowBytes > maxStoredBytes) fail(key, "Another");
    },
    add(key, stored) {
      const size = bytesOf(key, stored);
      const { total, bytes } = read();
      if (total - (bytes.get(key) ?? 0) + size > maxStoredBytes) fail(key, `The result of ${formatBytes(size)} of`);
      replace(key, size);
    },
    count: (key, stored) => replace(key, bytesOf(key, stored)),
  };
}

const bytesOf = (name: string, stored: Json): number =>
  rowBytes + Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(stored));
