import { and, asc, count, inArray, sql } from "drizzle-orm";
import type { RunStore } from "../../ports/store/run-store.ts";
import type { OpenRunStore } from "../../ports/store/open-run-store.ts";
import type { StoreDatabase } from "./store-database.ts";

export type OpenRunReads = OpenRunStore & Pick<RunStore, "countOpenRuns">;

export function createOpenRunStore({ tables, forms, read }: StoreDatabase): OpenRunReads {
  const { run, runStep } = tables;
  const openRuns = forms.runsBy("run_open");
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
    countOpenRunsByVersion: () =>
      read(function* ({ db, rows }) {
        const counted = yield* rows(
          db.select({ version: run.version, runs: count() }).from(openRuns).where(forms.isOpen).groupBy(run.version),
        );
        return new Map(counted.map(({ version, runs }) => [version, runs]));
      }),
    listOpenRuns: ({ limit }) =>
      read(function* ({ db, rows }) {
        const { id, version, targetKind: kind, targetSlug: slug, attachmentId } = run;
        const found = yield* rows(
          db
            .select({ id, version, kind, slug, attachmentId })
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
