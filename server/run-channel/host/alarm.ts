import type { Clock } from "../../ports/clock.ts";

/** The monotonic timers of a paused machine, or a changed clock, are noticed after this long at the latest. */
const maxTimerMs = 30_000;

interface Alarm {
  /** Fires once at this time; `null`: never. Replaces the previous time. */
  setAt(time: number | null): void;
  setIn(ms: number): void;
  clear(): void;
}

/** An alarm by the wall clock. Also works around the limit of setTimeout, 2^31-1 ms, above which it fires immediately. */
export function createAlarm(clock: Clock, onDue: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;

  function setAt(time: number | null): void {
    clearTimeout(timer);
    if (time === null) return;
    const inMs = Math.max(0, time - clock.now());
    timer = setTimeout(() => (clock.now() >= time ? onDue() : setAt(time)), Math.min(inMs, maxTimerMs));
  }

  return {
    setAt,
    setIn(ms) {
      clearTimeout(timer);
      timer = setTimeout(onDue, ms);
    },
    clear: () => clearTimeout(timer),
  };
}
