import { and, asc, count, desc, eq, gte, isNull, lte, max, min, sql } from "drizzle-orm";
import { describeFailure, type FailureFact } from "../../domain/alerts/findings.ts";
import type { AlertStore } from "../../ports/store/alert-store.ts";
import type { StoreDatabase } from "./store-database.ts";

type AlertFacts = Pick<AlertStore, "listFailures" | "countQueuedOf" | "listOldApprovals">;

const maxCountedFailures = 100_000;
const maxListedFailures = 3;
const maxListedApprovals = 100;

/** The facts about runs that decide about alerts. */
export function createAlertFacts({ tables: { run, runStep }, forms, readInTurn }: StoreDatabase): AlertFacts {
  const failedRuns = forms.runsBy("run_by_failure_time");
  const openRuns = forms.runsBy("run_open");
  /** A loose index scan: one seek for each target, regardless of its number of runs. */
  const failedTargets = sql`(
    WITH RECURSIVE failed (target) AS (
      SELECT min(target) FROM ${failedRuns} WHERE ${forms.hasFailed}
      UNION ALL
      SELECT (SELECT min(run.target) FROM ${failedRuns} WHERE ${forms.hasFailed} AND run.target > failed.target)
      FROM failed WHERE failed.target IS NOT NULL
    )
    SELECT target FROM failed WHERE target IS NOT NULL) AS failed`;
  const lastFailure = sql<number>`(
    SELECT max(finished_at) FROM ${failedRuns} WHERE ${forms.hasFailed} AND run.target = failed.target)`;
  return {
    listFailures: ({ since, sinceOf }) =>
      readInTurn(function* ({ db, rows }) {
        const targets = yield* rows(
          db.select({ target: sql`failed.target`.mapWith(run.target), lastAt: lastFailure }).from(failedTargets),
        );
        const facts: FailureFact[] = [];
        for (const { target, lastAt } of targets) {
          const from = sinceOf.get(target) ?? since;
          if (lastAt < from) continue;
          const isCounted = and(forms.hasFailed, eq(run.target, target), gte(run.finishedAt, from));
          const counted = db
            .select({ finishedAt: run.finishedAt })
            .from(failedRuns)
            .where(isCounted)
            .orderBy(desc(run.finishedAt))
            .limit(maxCountedFailures)
            .as("counted");
          const [total] = yield* rows(
            db
              .select({ count: count(), firstAt: min(counted.finishedAt), lastAt: max(counted.finishedAt) })
              .from(counted),
          );
          const runs = yield* rows(
            db
              .select({ id: run.id, name: run.errorName, message: run.errorMessage })
              .from(failedRuns)
              .where(isCounted)
              .orderBy(desc(run.finishedAt))
              .limit(maxListedFailures),
          );
          facts.push({
            target,
            count: total?.count ?? 0,
            firstAt: total?.firstAt ?? 0,
            lastAt: total?.lastAt ?? 0,
            runs: runs.map(({ id, ...error }) => ({ id, error: describeFailure(error) })),
          });
        }
        return facts.filter((fact) => fact.count > 0);
      }),
    countQueuedOf: (wanted) =>
      readInTurn(function* ({ db, rows }) {
        const counts: number[] = [];
        for (const { target, upTo } of wanted) {
          const queued = db
            .select({ id: run.id })
            .from(openRuns)
            .where(and(forms.isQueued, eq(run.target, target)))
            .limit(upTo)
            .as("queued");
          const [total] = yield* rows(db.select({ runs: count() }).from(queued));
          counts.push(total?.runs ?? 0);
        }
        return counts;
      }),
    listOldApprovals: (requestedBefore) =>
      readInTurn(function* ({ db, rows }) {
        return yield* rows(
          db
            .select({ runId: run.id, target: run.target, requestedAt: runStep.startedAt })
            .from(openRuns)
            // SQLite keeps the order of tables in a cross join. Waiting runs are few, and each has few approvals.
            .crossJoin(runStep)
            .where(
              and(
                forms.isOpen,
                eq(run.status, "waiting"),
                eq(runStep.run, run.key),
                eq(runStep.kind, "approval"),
                isNull(runStep.finishedAt),
                lte(runStep.startedAt, requestedBefore),
              ),
            )
            .orderBy(asc(runStep.startedAt))
            .limit(maxListedApprovals),
        );
      }),
  };
}
