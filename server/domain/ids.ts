import { monotonicFactory } from "ulid";

const nextUlid = monotonicFactory();

export type IdPrefix = "run" | "dlv" | "key" | "wrk" | "pre";

/** A new id, e.g. `run_01K9ZR7M3Q…`: a ULID, so ids sort by the time they were made. */
export function newId(prefix: IdPrefix, now?: number): string {
  return `${prefix}_${nextUlid(now)}`;
}
