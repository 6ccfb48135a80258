import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import type { EngineStore } from "../../ports/store/engine-store.ts";
import type { RunStore } from "../../ports/store/run-store.ts";
import type { OpenRunStore } from "../../ports/store/open-run-store.ts";
import type { StoreDatabase } from "./store-database.ts";

export type OpenRunReads = OpenRunStore &
  Pick<RunStore, "countOpenRuns"> &
  Pick<EngineStore, "countQueued" | "listHeldRuns">;

export function createOpenRunStore({ tables, forms, read, prepare }: StoreDatabase): OpenRunReads {
  const { run, runStep } = tables;
  const openRuns = forms.runsBy("run_open");
  const { id, token, version, targetKind, targetSlug, failureOf, attempt, maxAttempts, attemptsBefore, crashes } = run;
  const held = { id, token, version, targetKind, targetSlug, failureOf, attempt, maxAttempts, attemptsBefore, crashes };
  const ofWorker = eq(run.workerId, sql.param(sql.placeholder("workerId"), run.workerId));
  const findHeld = prepare((db) =>
    db.select(held).from(openRuns).where(and(forms.isHeld, ofWorker)).orderBy(asc(run.key)),
  );
  return {
    countOpenRuns: () =>
      read(function* ({ db, rows }) {
        const counted = yield* rows(
          db.select({ status: run.status, runs: count() }).from(openRuns).where(forms.isOpen).groupBy(run.status),
        );
        const {
          queued = 0,
          running = 0,
          waiting = 0,
        } = Object.fromEntries(counted.map(({ status, runs }) => [status, runs]));
        return { queued, running, waiting };
      }),
    countQueued: (pool) =>
      read(function* ({ db, rows }) {
        const isOfPool = eq(run.isIsolated, pool === "isolated");
        const [counted] = yield* rows(
          db.select({ runs: count() }).from(openRuns).where(and(forms.isQueuedInPool, isOfPool)),
        );
        return counted?.runs ?? 0;
      }),
    listHeldRuns: async (workerId) =>
      (await findHeld({ workerId })).map(({ targetKind: kind, targetSlug: slug, ...row }) => ({
        ...row,
        // Every running run has one.
        token: row.token ?? "",
        target: { kind, slug },
      })),
    countOpenRunsByVersion: () =>
      read(function* ({ db, rows }) {
        const counted = yield* rows(
          db.select({ version: run.version, runs: count() }).from(openRuns).where(forms.isOpen).groupBy(run.version),
        );
        return new Map(counted.map(({ version, runs }) => [version, runs]));
      }),
    listOpenRuns: ({ limit }) =>
      read(function* ({ db, rows }) {
        const found = yield* rows(
          db
            .select({ id, version, kind: targetKind, slug: targetSlug, attachmentId: run.attachmentId })
            .from(openRuns)
            .where(forms.isOpen)
            .orderBy(asc(run.createdAt), asc(run.key))
            .limit(limit),
        );
        return found.map((row) => ({
          id: row.id,
          version: row.version,
          target: { kind: row.kind, slug: row.slug },
          attachmentId: row.attachmentId,
        }));
      }),
    readOpenRuns: (ids) =>
      read(function* ({ db, rows }) {
        const found = yield* rows(
          db
            .select({ key: run.key, id: run.id, input: forms.input })
            .from(forms.runsBy("run_by_id"))
            .where(and(inArray(run.id, [...ids]), forms.isOpen)),
        );
        const keys = found.map(({ key }) => key);
        const steps = yield* rows(
          db
            .select({ run: runStep.run, name: runStep.name, kind: runStep.kind })
            .from(runStep)
            .where(inArray(runStep.run, keys))
            // The `+` keeps SQLite from reading the steps of all runs in order.
            .orderBy(sql`+${runStep.position}`),
        );
        const byRun = Map.groupBy(steps, (step) => step.run);
        return found.map(({ key, id, input }) => ({
          id,
          input,
          steps: (byRun.get(key) ?? []).map(({ name, kind }) => ({ name, kind })),
        }));
      }),
  };
}
