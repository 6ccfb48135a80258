import { randomFillSync } from "node:crypto";
import { monotonicFactory } from "ulid";

const pool = new Uint32Array(1024);
let taken = pool.length;

/** Random numbers from 0 to below 1, generated in batches: one system call costs more than an id. */
function random(): number {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  return (pool[taken++] ?? 0) / 2 ** 32;
}

const nextUlid = monotonicFactory(random);

export type IdPrefix = "run" | "dlv" | "key" | "wrk" | "pre" | "per" | "acc" | "inv" | "aud" | "req";

/** A new id, e.g. `run_01K9ZR7M3Q…`: a ULID, so ids sort by the time they were made. */
export function newId(prefix: IdPrefix, now?: number): string {
  return `${prefix}_${nextUlid(now)}`;
}
