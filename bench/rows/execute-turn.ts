import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import type { PostLoadResult } from "../load/post-load.ts";

/** One turn of something that executes what it accepts. */
export interface ExecuteTurn {
  answered: number;
  /** Accepted and executed, from the first request to the last end. */
  perSecond: number;
  /** From the last 202 to the last end. */
  drainMs: number;
}

const drainWithinMs = 300_000;
const askEveryMs = 10;

/** Sends, then waits until all of it was executed. Throws when that takes more than five minutes. */
export async function executeTurn(
  post: () => Promise<PostLoadResult>,
  isDone: (answered: number) => boolean | Promise<boolean>,
): Promise<ExecuteTurn> {
  const began = Date.now();
  const { statuses, endedAt } = await post();
  const answered = statuses[202] ?? 0;
  while (!(await isDone(answered))) {
    if (Date.now() - endedAt > drainWithinMs)
      throw new Error(`Not all that was accepted had been executed ${drainWithinMs / 1000} s later`);
    await delay(askEveryMs);
  }
  const now = Date.now();
  return { answered, perSecond: answered / ((now - began) / 1000), drainMs: now - endedAt };
}

/** Asks a database, from outside of the process that writes it, whether anything is open. */
export function watchOpen(file: string, query: string): { isEmpty(): boolean; close(): void } {
  const db = new Database(file, { readonly: true });
  const isOpen = db.prepare<[], number>(query).pluck();
  return { isEmpty: () => isOpen.get() === 0, close: () => void db.close() };
}
