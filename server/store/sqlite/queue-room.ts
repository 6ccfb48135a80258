import { runStatusCodes } from "../../domain/stored-codes.ts";
import type { NewRun, QueueFull } from "../../ports/store/run-store.ts";
import { queueBoundsOf } from "../shared/queue-bounds.ts";
import type { SqliteDatabase } from "./database.ts";
import { isOpenSql } from "./stored-forms.ts";

/**
 * Holds `maxQueued`. Asked inside the write transaction, so that nobody else queues anything between the question and
 * the answer.
 */
export interface QueueRoom {
  /**
   * Of these runs' targets one that cannot take its runs among them; `null`: all fit. Runs without a bound cost
   * nothing.
   */
  findFull(runs: readonly NewRun[]): QueueFull | null;
  /** To be told of every run that is inserted. */
  added(target: string): void;
  /** To be told at the beginning of a transaction, and of whatever else may change what is queued. */
  forget(): void;
}

/** Never looks at more than `limit` rows of a pool. */
export const queuedOfTargetSql = `
  SELECT count(*) FROM (
    SELECT 1 FROM run INDEXED BY run_open
    WHERE ${isOpenSql} AND status = ${runStatusCodes.queued} AND is_isolated = :isolated AND target = :target LIMIT :limit
  )`;

/**
 * A full queue is asked by every request of a flood, and counting it takes the longer the larger its bound is. So what
 * was counted holds for the transaction, in which hundreds are decided.
 */
export function createQueueRoom({ connection, names }: Pick<SqliteDatabase, "connection" | "names">): QueueRoom {
  const countPool = connection.prepare<unknown[], number>(queuedOfTargetSql).pluck();
  /** `upTo`: there may be more than were counted, once they are so many. */
  const counted = new Map<string, { queued: number; upTo: number }>();

  function queuedOf(target: string, upTo: number): number {
    const known = counted.get(target);
    if (known && (known.queued < known.upTo || upTo <= known.upTo)) return known.queued;
    const id = names.find(target);
    const inPool = (isolated: number) => countPool.get({ isolated, target: id, limit: upTo }) ?? 0;
    const queued = id === null ? 0 : inPool(0) + inPool(1);
    counted.set(target, { queued, upTo });
    return queued;
  }

  return {
    findFull(runs) {
      for (const [name, { target, maxQueued, adds }] of queueBoundsOf(runs)) {
        if (queuedOf(name, maxQueued) + adds > maxQueued) return { target, maxQueued, adds };
      }
      return null;
    },
    added(target) {
      const known = counted.get(target);
      if (known) known.queued += 1;
    },
    forget: () => counted.clear(),
  };
}
