import { and, eq, lte, sql } from "drizzle-orm";
import type { EngineStore, LostRun } from "../../ports/store/engine-store.ts";
import type { SqliteDatabase } from "./database.ts";
import type { EndHold, Held } from "./end-hold.ts";
import { prepareClearLive } from "./live.ts";
import { run } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

type Release = Parameters<EngineStore["releaseLostRuns"]>[0];

/** After a worker process ended: its runs go back as its supervisor says. */
export function prepareReleaseLostRuns(
  database: SqliteDatabase,
  p: { addEntry: AddEntry; endHold: EndHold },
): (release: Release) => void {
  const clearLive = prepareClearLive(database.connection);
  return ({ workerId, now, message, runs }) => {
    for (const lost of runs) {
      const held = findHeldBy(database, { id: lost.id, workerId });
      if (!held) continue;
      p.addEntry(lost.id, { at: now, kind: "worker_lost", attempt: held.attempt, message });
      countCrash(database, held, lost.fate.kind);
      clearLive(lost.id);
      const { fate } = lost;
      if (fate.kind === "fail") for (const entry of fate.entries) p.addEntry(lost.id, entry);
      p.endHold(held, fate.kind === "fail" ? fate.transition : { to: "queued" }, now);
    }
  };
}

function findHeldBy({ db }: SqliteDatabase, p: { id: string; workerId: string }): Held | null {
  const row = db
    .select({ token: run.token, attempt: run.attempt, cancelRequestedAt: run.cancelRequestedAt })
    .from(run)
    .where(and(eq(run.id, p.id), eq(run.workerId, p.workerId), eq(run.status, "running")))
    .get();
  return row?.token ? { ...row, id: p.id, token: row.token } : null;
}

function countCrash({ db }: SqliteDatabase, held: Held, fate: LostRun["fate"]["kind"]): void {
  if (fate === "resume") return;
  db.update(run)
    .set({ crashes: sql`${run.crashes} + 1`, ...(fate === "isolate" ? { isIsolated: true } : {}) })
    .where(and(eq(run.id, held.id), eq(run.token, held.token), eq(run.status, "running")))
    .run();
}

/** Runs whose lease ran out; see `reconcile` of the port. */
export function prepareReconcile(
  database: SqliteDatabase,
  p: { addEntry: AddEntry; endHold: EndHold },
): {
  hasExpired(now: number, spare: ReadonlySet<string>): boolean;
  reconcile(now: number, spare: ReadonlySet<string>): number;
} {
  const clearLive = prepareClearLive(database.connection);
  const expired = (now: number, spare: ReadonlySet<string>) =>
    expiredRunsQuery(database, now)
      .all()
      .filter(({ id }) => !spare.has(id));
  return {
    hasExpired: (now, spare) => expired(now, spare).length > 0,
    reconcile(now, spare) {
      const rows = expired(now, spare);
      for (const { id, token, attempt, cancelRequestedAt } of rows) {
        if (token === null) throw new Error(`${id} is running under no token`);
        p.addEntry(id, {
          at: now,
          kind: "worker_lost",
          attempt,
          message: "The lease of its worker expired: the worker stopped responding.",
        });
        clearLive(id);
        p.endHold({ id, token, attempt, cancelRequestedAt }, { to: "queued" }, now);
      }
      return rows.length;
    },
  };
}

/** Only running runs have a lease. Apart, so that a test can look at its plan. */
export function expiredRunsQuery({ db }: SqliteDatabase, now: number) {
  return db
    .select({ id: run.id, token: run.token, attempt: run.attempt, cancelRequestedAt: run.cancelRequestedAt })
    .from(run)
    .where(lte(run.leaseUntil, now));
}
