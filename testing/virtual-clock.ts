import { setLongTimeout } from "../server/domain/event-loop.ts";
import type { Clock } from "../server/ports/clock.ts";

interface Timer {
  dueAt: number;
  fire: () => void;
}

/** A clock that does not advance until it is moved. */
export interface VirtualClock extends Clock {
  /** Moves to a later time. Timers that are due fire in order, each at its time. */
  moveTo(time: number): void;
  /** The time of the next timer; `null`: there is none. */
  nextTimerAt(): number | null;
}

/** A timer also fires after its real time: the code that waits for it may be stuck, e.g. in a step with a timeout. */
export function createVirtualClock(startAt: number): VirtualClock {
  const timers = new Set<Timer>();
  let now = startAt;

  return {
    now: () => now,
    after(ms, callback) {
      const stop = () => {
        timers.delete(timer);
        stopReal();
      };
      const timer: Timer = {
        dueAt: now + ms,
        fire() {
          stop();
          now = Math.max(now, timer.dueAt);
          callback();
        },
      };
      const stopReal = setLongTimeout(timer.fire, ms);
      timers.add(timer);
      return stop;
    },
    moveTo(time) {
      for (let next = findNext(timers); next !== null && next.dueAt <= time; next = findNext(timers)) next.fire();
      now = Math.max(now, time);
    },
    nextTimerAt: () => findNext(timers)?.dueAt ?? null,
  };
}

function findNext(timers: ReadonlySet<Timer>): Timer | null {
  let next: Timer | null = null;
  for (const timer of timers) if (next === null || timer.dueAt < next.dueAt) next = timer;
  return next;
}
