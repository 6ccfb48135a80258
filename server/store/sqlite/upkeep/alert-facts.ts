import type { ApprovalFact, FailureFact } from "../../../domain/alerts/findings.ts";
import type { Packed } from "../../../domain/ids.ts";
import { stepKindCodes, runStatusCodes } from "../../../domain/stored-codes.ts";
import type { AlertStore } from "../../../ports/store/alert-store.ts";
import { maxCountedFailures, maxListedApprovals, maxListedFailures, toFailureFact } from "../../shared/alert-facts.ts";
import type { SqliteDatabase } from "../database.ts";
import { queuedOfTargetSql } from "../runs/insert-run.ts";
import { hasFailedSql, runId } from "../stored-forms.ts";

type AlertFactStore = Pick<AlertStore, "listFailures" | "countQueuedOf" | "listOldApprovals">;

/** A loose index scan: one seek for each target, regardless of its number of runs. */
const failedTargetsSql = `
  WITH RECURSIVE failed (target) AS (
    SELECT min(target) FROM run INDEXED BY run_by_failure_time WHERE ${hasFailedSql}
    UNION ALL
    SELECT (SELECT min(target) FROM run INDEXED BY run_by_failure_time WHERE ${hasFailedSql} AND target > failed.target)
    FROM failed WHERE failed.target IS NOT NULL
  )
  SELECT target FROM failed WHERE target IS NOT NULL`;

const ofTarget = `FROM run INDEXED BY run_by_failure_time WHERE ${hasFailedSql} AND target = @target AND finished_at >= @since`;

const countFailuresSql = `
  SELECT count(*) AS count, min(finished_at) AS firstAt, max(finished_at) AS lastAt
  FROM (SELECT finished_at ${ofTarget} ORDER BY finished_at DESC LIMIT ${maxCountedFailures})`;

const newestFailuresSql = `
  SELECT id, error_name AS name, error_message AS message ${ofTarget} ORDER BY finished_at DESC LIMIT ${maxListedFailures}`;

/** Waiting runs are few, and a run has few steps of the kind. */
const oldApprovalsSql = `
  SELECT run.id, run.target, run_step.started_at AS requestedAt
  FROM run INDEXED BY run_waiting CROSS JOIN run_step ON run_step.run = run.seq
  WHERE run.status = ${runStatusCodes.waiting} AND run.is_isolated IN (0, 1)
    AND run_step.kind = ${stepKindCodes.approval} AND run_step.finished_at IS NULL AND run_step.started_at <= ?
  ORDER BY run_step.started_at LIMIT ${maxListedApprovals}`;

interface CountRow {
  count: number;
  firstAt: number | null;
  lastAt: number | null;
}

export function createAlertFacts({ connection, names, readInTurn }: SqliteDatabase): AlertFactStore {
  const targets = connection.prepare<[], number>(failedTargetsSql).pluck();
  const countFailures = connection.prepare<unknown[], CountRow>(countFailuresSql);
  const newest = connection.prepare<unknown[], { id: Packed; name: string | null; message: string | null }>(
    newestFailuresSql,
  );
  const approvals = connection.prepare<[number], { id: Packed; target: number; requestedAt: number }>(oldApprovalsSql);
  const countQueued = connection.prepare<unknown[], number>(queuedOfTargetSql).pluck();

  function failuresOf(target: number, since: number): FailureFact[] {
    const counted = countFailures.get({ target, since });
    if (!counted || counted.count === 0) return [];
    const runs = newest.all({ target, since }).map(({ id, ...error }) => ({ id: runId.unpack(id), ...error }));
    return [toFailureFact({ target: names.textOf(target), ...counted, runs })];
  }

  return {
    listFailures: ({ since, sinceOf }) =>
      readInTurn(() =>
        targets.all().flatMap((target) => failuresOf(target, sinceOf.get(names.textOf(target)) ?? since)),
      ),
    countQueuedOf: (wanted) =>
      readInTurn(() =>
        wanted.map(({ target, upTo }) => {
          const id = names.find(target);
          const inPool = (isolated: number) => countQueued.get({ isolated, target: id, limit: upTo }) ?? 0;
          return id === null ? 0 : inPool(0) + inPool(1);
        }),
      ),
    listOldApprovals: (requestedBefore) =>
      readInTurn(() =>
        approvals.all(requestedBefore).map(({ id, target, requestedAt }): ApprovalFact => ({
          runId: runId.unpack(id),
          target: names.textOf(target),
          requestedAt,
        })),
      ),
  };
}
