// Not the global timers: a pause is real time for this thread, even if a test has replaced the timers.
import { setImmediate, setTimeout } from "node:timers";

/** Runs a slice of work when its turn has come. */
export type InTurn = <Result>(slice: () => Result | Promise<Result>) => Promise<Result>;

interface TurnOptions {
  now?: () => number;
  /** Calls back after so many milliseconds; 0 is the next iteration of the event loop. */
  after?: (ms: number, callback: () => void) => void;
}

/**
 * For reads that may take long on the event loop that also receives webhooks. Slices run one at a time, in the order in
 * which they came, and after each the loop is free for at least as long as the slice took. Readers together use half of
 * it at most, however many they are.
 */
export function createTurns({ now = () => performance.now(), after = afterMs }: TurnOptions = {}): InTurn {
  const waiting: (() => Promise<void>)[] = [];
  let isTaken = false;

  async function takeNext(): Promise<void> {
    const slice = waiting.shift();
    isTaken = slice !== undefined;
    if (!slice) return;
    const began = now();
    await slice();
    after(Math.floor(now() - began), () => void takeNext());
  }

  return (slice) =>
    new Promise((resolve, reject) => {
      waiting.push(async () => {
        try {
          resolve(await slice());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      if (!isTaken) void takeNext();
    });
}

function afterMs(ms: number, callback: () => void): void {
  // The timer does not keep an idle process alive.
  if (ms > 0) setTimeout(callback, ms);
  else setImmediate(callback);
}

/** The turns of this process, which has one event loop. */
export const inTurn: InTurn = createTurns();
