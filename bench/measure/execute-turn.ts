import { setTimeout as delay } from "node:timers/promises";
import type { LoadResult } from "../load/run-load.ts";

/** One turn of a side that executes what it accepts. */
export interface ExecuteTurn {
  answered: number;
  /** From the first request to the last end of a run. */
  totalMs: number;
  /** Accepted and executed in this time. */
  perSecond: number;
  /** From the last 202 to the last end. */
  drainMs: number;
}

const maxDrainMs = 300_000;
const pollMs = 5;

/** Sends, then waits until everything is executed. Throws if that takes more than five minutes. */
export async function executeTurn(
  post: () => Promise<LoadResult>,
  isDone: (answered: number) => boolean | Promise<boolean>,
): Promise<ExecuteTurn> {
  const { statuses, beganAt, endedAt } = await post();
  const answered = statuses[202] ?? 0;
  while (!(await isDone(answered))) {
    if (Date.now() - endedAt > maxDrainMs)
      throw new Error(`Accepted runs had not ended ${maxDrainMs / 1000} s after the last 202`);
    await delay(pollMs);
  }
  const now = performance.timeOrigin + performance.now();
  const totalMs = now - beganAt;
  return { answered, totalMs, perSecond: answered / (totalMs / 1000), drainMs: now - endedAt };
}
