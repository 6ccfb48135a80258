import { runStatusCodes } from "../../domain/stored-codes.ts";
import type { NewRun, QueueFull } from "../../ports/store/run-store.ts";
import { queueBoundsOf } from "../shared/queue-bounds.ts";
import type { SqliteDatabase } from "./database.ts";
import { isOpenSql } from "./stored-forms.ts";

/** Checks `maxQueued` in the write transaction: no other process queues a run between the check and the insert. */
export interface QueueCapacity {
  /**
   * The first target whose queue has no capacity for its runs among these; `null` if all fit. Runs without a limit are
   * not counted.
   */
  findFull(runs: readonly NewRun[]): QueueFull | null;
  /** Called for every run that is queued. */
  added(target: string): void;
  /** Called at the beginning of a transaction, and for every other operation that can change queues. */
  clear(): void;
}

/** Reads at most `limit` rows of a pool. */
export const queuedOfTargetSql = `
  SELECT count(*) FROM (
    SELECT 1 FROM run INDEXED BY run_open
    WHERE ${isOpenSql} AND status = ${runStatusCodes.queued} AND is_isolated = :isolated AND target = :target LIMIT :limit
  )`;

/**
 * Every request of a flood checks a full queue, and a higher limit makes the count slower. A count is therefore reused
 * within the transaction, which decides hundreds of requests.
 */
export function createQueueCapacity({
  connection,
  names,
}: Pick<SqliteDatabase, "connection" | "names">): QueueCapacity {
  const countPool = connection.prepare<unknown[], number>(queuedOfTargetSql).pluck();
  /** `upTo`: the count stopped there, so there can be more. */
  let counted = new Map<string, { queued: number; upTo: number }>();

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
    clear() {
      if (counted.size > 0) counted = new Map();
    },
  };
}
