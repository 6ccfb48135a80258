/** The time, passed in so that tests can hold it. */
export interface Clock {
  /** UTC milliseconds. */
  now(): number;
  /** Milliseconds since some moment, for what is measured within a process: they go on evenly when somebody sets the clock. Where it is not given, `now` is taken. */
  elapsed?(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => Math.round(performance.now()) };

/** To measure how long something takes: the difference of two calls. */
export const elapsedMs = (clock: Clock): number => clock.elapsed?.() ?? clock.now();
