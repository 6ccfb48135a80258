import type { ApprovalFact } from "../../../domain/alerts/findings.ts";
import type { AlertStore } from "../../../ports/store/alert-store.ts";
import { maxCountedFailures, maxListedApprovals, maxListedFailures, toFailureFact } from "../../shared/alert-facts.ts";
import type { PostgresDatabase } from "../database.ts";
import { hasFailedSql } from "../schema.ts";

/** A loose index scan: one seek for each target, regardless of its number of runs. */
const failedTargetsSql = `
  WITH RECURSIVE failed AS (
    (SELECT target FROM signalbox.run WHERE ${hasFailedSql} ORDER BY target LIMIT 1)
    UNION ALL
    SELECT (SELECT run.target FROM signalbox.run WHERE ${hasFailedSql} AND run.target > failed.target ORDER BY run.target LIMIT 1)
    FROM failed WHERE failed.target IS NOT NULL
  )
  SELECT target FROM failed WHERE target IS NOT NULL`;

const countFailuresSql = `
  SELECT t.target, c.count, c.first_at AS "firstAt", c.last_at AS "lastAt"
  FROM unnest($1::text[], $2::bigint[]) AS t (target, since)
  CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(finished_at) AS first_at, max(finished_at) AS last_at FROM (
      SELECT finished_at FROM signalbox.run WHERE ${hasFailedSql} AND run.target = t.target AND finished_at >= t.since
      ORDER BY finished_at DESC LIMIT ${maxCountedFailures}
    ) AS counted
  ) AS c
  WHERE c.count > 0`;

const newestFailuresSql = `
  SELECT t.target, n.* FROM unnest($1::text[], $2::bigint[]) AS t (target, since)
  CROSS JOIN LATERAL (
    SELECT id, error_name AS name, error_message AS message FROM signalbox.run
    WHERE ${hasFailedSql} AND run.target = t.target AND finished_at >= t.since
    ORDER BY finished_at DESC LIMIT ${maxListedFailures}
  ) AS n`;

const countQueuedSql = `
  SELECT (SELECT count(*) FROM (SELECT 1 FROM signalbox.run WHERE status = 'queued' AND run.target = t.target LIMIT t.up_to) AS queued) AS queued
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS t (target, up_to, place) ORDER BY t.place`;

const oldApprovalsSql = `
  SELECT run.id AS "runId", run.target, run_step.started_at AS "requestedAt" FROM signalbox.run JOIN signalbox.run_step ON run_step.run_id = run.id
  WHERE run.status = 'waiting' AND run_step.kind = 'approval' AND run_step.finished_at IS NULL AND run_step.started_at <= $1
  ORDER BY run_step.started_at LIMIT ${maxListedApprovals}`;

interface FailureRow {
  target: string;
  count: number;
  firstAt: number;
  lastAt: number;
}

interface FailedRow {
  target: string;
  id: string;
  name: string | null;
  message: string | null;
}

export function createAlertFacts({
  read,
}: Pick<PostgresDatabase, "read">): Pick<AlertStore, "listFailures" | "countQueuedOf" | "listOldApprovals"> {
  return {
    listFailures: ({ since, sinceOf }) =>
      read(async (session) => {
        const targets = (await session.rows<{ target: string }>(failedTargetsSql)).map(({ target }) => target);
        if (targets.length === 0) return [];
        const times = targets.map((target) => sinceOf.get(target) ?? since);
        const rows = await session.rows<FailureRow>(countFailuresSql, [targets, times]);
        const newest = await session.rows<FailedRow>(newestFailuresSql, [targets, times]);
        const byTarget = Map.groupBy(newest, ({ target }) => target);
        return rows.map((row) => toFailureFact({ ...row, runs: byTarget.get(row.target) ?? [] }));
      }),
    countQueuedOf: (wanted) =>
      read(async (session) => {
        const values = [wanted.map(({ target }) => target), wanted.map(({ upTo }) => upTo)];
        return (await session.rows<{ queued: number }>(countQueuedSql, values)).map(({ queued }) => queued);
      }),
    listOldApprovals: (requestedBefore) =>
      read((session) => session.rows<ApprovalFact>(oldApprovalsSql, [requestedBefore])),
  };
}
