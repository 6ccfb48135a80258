/** The lifetime of a child process, in monotonic milliseconds. */
export interface Lifetime {
  startedAt: number;
  /** When it was ready; `null`: never. */
  readyAt: number | null;
  endedAt: number;
  /** It crashed, or reported that it cannot continue. A kill from outside is not its fault. */
  isOwnFault: boolean;
  /** It ended while it did work that others wait for. */
  hadWork?: boolean;
}

export interface RestartPolicy {
  /** Milliseconds to wait before the next start. */
  pauseAfter(lifetime: Lifetime): number;
  /** The number of consecutive failed starts. */
  failedStarts(): number;
}

/** A process that was ready for so long is not a failed start, regardless of how it ended. */
const stableAfterMs = 5_000;
const firstPauseMs = 250;
const maxPauseMs = 30_000;
/** Between two starts, also if the process is killed from outside (e.g. by the OOM killer) whenever it is ready. */
const minStartIntervalMs = 1_000;

/**
 * Decides when a process that ended is started again. A process that was ready, and was killed or crashed after a
 * while, is restarted at once. A process that does not become ready, or crashes soon afterwards, is restarted at once
 * the first time, then after pauses that double. Each start is expensive, and does not fix the cause.
 */
export function createRestartPolicy(): RestartPolicy {
  let failures = 0;
  return {
    pauseAfter(lifetime) {
      if (hasFailed(lifetime)) {
        failures += 1;
        return failures === 1 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 2));
      }
      failures = 0;
      return lifetime.hadWork ? 0 : Math.max(0, minStartIntervalMs - (lifetime.endedAt - lifetime.startedAt));
    },
    failedStarts: () => failures,
  };
}

function hasFailed({ readyAt, endedAt, isOwnFault, hadWork }: Lifetime): boolean {
  if (readyAt === null) return true;
  return isOwnFault && !hadWork && endedAt - readyAt < stableAfterMs;
}
