import { notDueAt } from "../../../domain/runs/key-slots.ts";
import { isInQueueSql, limitedTargetSql, rankSql } from "../schema.ts";

/** Runs of a pool that the same workers can execute, and that one limit applies to. */
export interface Queue {
  /** The version that accepted the runs. */
  version: string;
  /** `workflow:slug`, if its concurrent runs are limited: runs that must wait block no other target. */
  limitedTarget: string | null;
}

/** `$1`: whether the pool is isolated. */
const isInPoolSql = `is_isolated = $1 AND ${isInQueueSql}`;
const queueColumns = `version, ${limitedTargetSql}`;
const nextQueueSql = (condition = "") => `
  SELECT version, ${limitedTargetSql} AS target, ${rankSql} AS first_rank, available_at AS first_at FROM signalbox.run
  WHERE ${isInPoolSql} ${condition} ORDER BY ${queueColumns}, ${rankSql}, available_at LIMIT 1`;

/**
 * The beginning of a statement: the table `queue` has every queue of the pool with runs, due or not, and the rank and
 * the time of its first run. It takes one step into the index for each queue, however long it is.
 */
export const withQueuesSql = `
  WITH RECURSIVE queue (version, target, first_rank, first_at) AS (
    (${nextQueueSql()})
    UNION ALL
    SELECT next.* FROM queue
      CROSS JOIN LATERAL (${nextQueueSql(`AND (${queueColumns}) > (queue.version, queue.target)`)}) next
  )`;

/** Parts of a queue. `at`: an expression for a time. */
export const partsSql = {
  /** Runs whose time has come. Claims take them first. */
  woken: (at: string) => `${rankSql} = 0 AND available_at <= ${at}`,
  /**
   * Runs that are due regardless of the time, so a clock that is set back delays none. Those that wait for a slot of
   * their key are last, and not due.
   */
  queued: `${rankSql} > 0 AND available_at < ${notDueAt}`,
  /** Runs that are due after this time. */
  later: (at: string) => `${rankSql} = 0 AND available_at > ${at} AND available_at < ${notDueAt}`,
};

/** The end of a statement that reads the first runs of a part of a queue, in order. All values are expressions. */
export const firstOfQueueSql = (p: { version: string; target: string; part: string; limit: string }) => `
  FROM signalbox.run
  WHERE ${isInPoolSql} AND version = ${p.version} AND ${limitedTargetSql} = ${p.target} AND ${p.part}
  ORDER BY ${rankSql}, available_at LIMIT ${p.limit}`;
