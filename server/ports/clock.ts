/** The time, passed in so that tests can hold it. */
export interface Clock {
  /** UTC milliseconds. */
  now(): number;
  /**
   * Milliseconds since some moment, for what is measured within a process: they go on evenly when somebody sets the
   * clock. Where it is not given, `now` is taken.
   */
  elapsed?(): number;
}

let aheadMs = 0;

/** This machine's, or that of the store where several machines share one. */
export const systemClock: Clock = { now: () => Date.now() + aheadMs, elapsed: () => Math.round(performance.now()) };

/** From now on this process goes by a clock that is so many milliseconds ahead of its machine's. */
export function setClockAhead(ms: number): void {
  aheadMs = ms;
}

/** To measure how long something takes: the difference of two calls. */
export const elapsedMs = (clock: Clock): number => clock.elapsed?.() ?? clock.now();
