import { formatInterval } from "../shared/format.ts";

/** A store that does not respond: a disk that hangs, or a connection through which nothing comes. */
export interface StoreStall {
  /** What has waited for longest, in words. */
  waitingFor: string;
  /** Milliseconds without a response to any operation. */
  ms: number;
}

export const stalledAfterMs = 5_000;

/**
 * Whether the store does not respond: an operation waits, and none was answered for a while. One slow query is no
 * stall, if others are answered meanwhile. All times are monotonic milliseconds.
 */
export function findStall(p: {
  /** The operation that has waited for longest; `null`: none waits. */
  oldest: { operation: string; since: number } | null;
  /** When an operation was last answered. */
  answeredAt: number;
  now: number;
}): StoreStall | null {
  if (!p.oldest) return null;
  const ms = p.now - Math.max(p.oldest.since, p.answeredAt);
  return ms < stalledAfterMs ? null : { waitingFor: describeOperation(p.oldest.operation), ms };
}

const operations: ReadonlyMap<string, string> = new Map([
  ["acceptDelivery", "write of a webhook"],
  ["recordDelivery", "write of a webhook"],
  ["claimRuns", "claim of runs"],
  ["writeProgress", "write of a run's progress"],
  ["extendLeases", "renewal of leases"],
  ["heartbeatWorker", "heartbeat of a worker"],
  ["ping", "health check"],
]);

/** An operation of the store, in words. */
export function describeOperation(name: string): string {
  return (
    operations.get(name) ?? (/^(list|get|read|count|find|search|mark|liveMark|next)/.test(name) ? "read" : "write")
  );
}

/** `The store has not responded for 6 s (write of a webhook).` */
export function describeStall({ waitingFor, ms }: StoreStall): string {
  return `The store has not responded for ${formatInterval(Math.round(ms / 1_000) * 1_000)} (${waitingFor}).`;
}
