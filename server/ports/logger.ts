import type { Target } from "../contract/project/target.ts";
import type { RunAttempt } from "./store/engine-store.ts";

type Log = (message: string, fields?: Record<string, unknown>) => void;

const everyMs = 5_000;

/** Structured logging. Fields never contain keys, cookies or authorization headers. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * A throttled log for errors that repeat many times a second. It writes the first line immediately, then one every five
 * seconds with the number of suppressed lines. `now` is monotonic.
 */
export function createThrottledLog(log: Log, now: () => number = () => performance.now()): Log {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (message, fields) => {
    if (now() - writtenAt < everyMs) {
      suppressed += 1;
      return;
    }
    writtenAt = now();
    log(message, suppressed > 0 ? { ...fields, suppressed } : fields);
    suppressed = 0;
  };
}

/** The fields of every log line about a run. `workflow` or `agent` is its target. */
export type RunLogFields = { runId: string; deliveryId: string | null; attempt: number } & (
  | { workflow: string }
  | { agent: string }
);

export function runLogFields({
  id,
  deliveryId,
  target,
  attempt,
}: Pick<RunAttempt, "id" | "deliveryId" | "target" | "attempt">): RunLogFields {
  return { runId: id, deliveryId, ...targetLogFields(target), attempt };
}

export function targetLogFields({ kind, slug }: Target): { workflow: string } | { agent: string } {
  return kind === "agent" ? { agent: slug } : { workflow: slug };
}
