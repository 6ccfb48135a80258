const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** A difference that is no jump: rounds of upkeep are ten minutes apart, and machines take turns. */
const maxDifferenceMs = hourMs;
/** The longest wait after a jump. */
const maxWaitMs = dayMs;

/** What upkeep has recorded of the clock, in UTC milliseconds. */
export interface ClockWatch {
  /** When the clock was last read. */
  seenAt: number;
  /** The last time that was plausible. `null`: none was yet. */
  trustedAt: number | null;
  /** When the current wait began, by the clock that jumped. `null`: the clock is trusted. */
  waitingSince: number | null;
}

/**
 * Whether data may be removed by its age: by a clock that is ahead, all data is old. A clock that jumped ahead is
 * trusted again when it has continued without another jump for as long as it jumped, at most for a day. A stop of the
 * service looks the same. A clock that was set back is trusted at once, unless it is still ahead. `elapsedMs`: measured
 * by a monotonic clock since `before.seenAt`; 0 if that is unknown. Without a record, the wait is a day.
 */
export function watchClock(before: ClockWatch | null, p: { now: number; elapsedMs: number }): ClockWatch {
  const { now, elapsedMs } = p;
  if (before === null) return { seenAt: now, trustedAt: null, waitingSince: now };
  const { seenAt, trustedAt, waitingSince } = before;
  const isAhead = now > seenAt + elapsedMs + maxDifferenceMs;
  const trusted = { seenAt: now, trustedAt: now, waitingSince: null };
  if (waitingSince === null) return isAhead ? { seenAt: now, trustedAt, waitingSince: now } : trusted;
  const wasSetBack = now < waitingSince;
  if (wasSetBack && trustedAt !== null && now <= trustedAt + maxDifferenceMs) return trusted;
  if (isAhead || wasSetBack) return { seenAt: now, trustedAt, waitingSince: now };
  return now >= trustsAt(before, waitingSince) ? trusted : { ...before, seenAt: now };
}

/** When a clock that jumped is trusted again, by that clock. `null`: it is trusted, or there has been no time to trust. */
export function findJump({ trustedAt, waitingSince, ...rest }: ClockWatch): { aheadMs: number; until: number } | null {
  if (waitingSince === null || trustedAt === null) return null;
  return { aheadMs: waitingSince - trustedAt, until: trustsAt({ trustedAt, ...rest }, waitingSince) };
}

function trustsAt({ trustedAt }: Pick<ClockWatch, "trustedAt">, waitingSince: number): number {
  return waitingSince + Math.min(maxWaitMs, waitingSince - (trustedAt ?? -Infinity));
}
