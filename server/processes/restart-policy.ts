/** A child process from its start to its end, in monotonic milliseconds. */
export interface Life {
  startedAt: number;
  /** When it began to serve; `null`: it never did. */
  readyAt: number | null;
  endedAt: number;
  /** It crashed, or said that it cannot go on. A kill from outside says nothing about it. */
  isOwnFault: boolean;
  /** It ended in the middle of work that others wait for. */
  hadWork?: boolean;
}

export interface RestartPolicy {
  /** How long to wait before the next start, ms. */
  pauseAfter(life: Life): number;
  /** Starts in a row that came to nothing. */
  failedStarts(): number;
}

/** One that served for so long is no failed start, however it ended. */
const settledAfterMs = 5_000;
const firstPauseMs = 250;
const longestPauseMs = 30_000;
/**
 * Between two starts, also of a process that something outside kills as soon as it serves (the kernel, for want of
 * memory).
 */
const shortestRoundMs = 1_000;

/**
 * When a process that ended is started again. One that served, and then was killed or crashed after a while, at once.
 * One that does not come up, or crashes soon after, at once the first time, then after pauses that double: to start it
 * costs the machine much, and mends nothing.
 */
export function createRestartPolicy(): RestartPolicy {
  let failures = 0;
  return {
    pauseAfter(life) {
      if (hasFailed(life)) {
        failures += 1;
        return failures === 1 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 2));
      }
      failures = 0;
      return life.hadWork ? 0 : Math.max(0, shortestRoundMs - (life.endedAt - life.startedAt));
    },
    failedStarts: () => failures,
  };
}

function hasFailed({ readyAt, endedAt, isOwnFault, hadWork }: Life): boolean {
  if (readyAt === null) return true;
  return isOwnFault && !hadWork && endedAt - readyAt < settledAfterMs;
}
