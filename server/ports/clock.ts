import { setLongTimeout } from "../domain/event-loop.ts";

/** The clock, injected so that tests can control it. */
export interface Clock {
  /** UTC milliseconds. */
  now(): number;
  /**
   * Monotonic milliseconds, for durations within a process. Changes of the system clock do not affect it. Default:
   * `now`.
   */
  elapsed?(): number;
  /** Calls back after this many milliseconds. Returns a function that stops it. Default: a timer of this process. */
  after?(ms: number, callback: () => void): () => void;
}

let aheadMs = 0;

/** The clock of this machine, or of the store if several machines share one. */
export const systemClock: Clock = { now: () => Date.now() + aheadMs, elapsed: () => Math.round(performance.now()) };

/** Sets the offset of this process's clock from its machine's clock, in milliseconds. */
export function setClockAhead(ms: number): void {
  aheadMs = ms;
}

/** Monotonic milliseconds. The difference of two calls is a duration. */
export const elapsedMs = (clock: Clock): number => clock.elapsed?.() ?? clock.now();

/** Calls back after this many milliseconds. Returns a function that stops it. */
export const startTimer = (clock: Clock, callback: () => void, ms: number): (() => void) =>
  clock.after ? clock.after(ms, callback) : setLongTimeout(callback, ms);

export const clockAheadMs = (): number => aheadMs;
