import { and, asc, count, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { EngineStore } from "../../ports/store/engine-store.ts";
import { type SqliteDatabase, given } from "./database.ts";
import { prepareStatement } from "./prepare-statement.ts";
import { run } from "./schema.ts";

type LeaseRequest = Parameters<EngineStore["extendLeases"]>[0];

export function prepareExtendLeases({
  db,
  connection,
}: SqliteDatabase): (p: LeaseRequest) => { lost: string[]; cancelRequested: string[] } {
  const query = db
    .update(run)
    .set({ leaseUntil: given("leaseUntil") })
    .where(and(eq(run.id, sql.placeholder("id")), eq(run.token, sql.placeholder("token")), eq(run.status, "running")))
    .returning({ cancelRequestedAt: run.cancelRequestedAt });
  const extend = prepareStatement(connection, query);
  return ({ runs, now, leaseMs }) => {
    const lost: string[] = [];
    const cancelRequested: string[] = [];
    for (const { id, token } of runs) {
      const row = extend.get({ id, token, leaseUntil: now + leaseMs });
      if (row === undefined) lost.push(id);
      else if (extendedRow.parse(row)[0] !== null) cancelRequested.push(id);
    }
    return { lost, cancelRequested };
  };
}

const extendedRow = z.tuple([z.number().nullable()]);

export function listCancelRequested({ db }: SqliteDatabase, runIds: readonly string[]): string[] {
  const rows = db
    .select({ id: run.id })
    .from(run)
    .where(and(inArray(run.id, [...runIds]), eq(run.status, "running"), isNotNull(run.cancelRequestedAt)))
    .all();
  return rows.map(({ id }) => id);
}

/** Only running runs have a worker. Apart, so that a test can look at its plan. */
export function heldRunsQuery({ db }: SqliteDatabase, workerId: string) {
  return db
    .select({
      id: run.id,
      token: run.token,
      kind: run.targetKind,
      slug: run.targetSlug,
      attempt: run.attempt,
      maxAttempts: run.maxAttempts,
      crashes: run.crashes,
    })
    .from(run)
    .where(eq(run.workerId, workerId))
    .orderBy(asc(run.id));
}

export function listHeldRuns(
  database: SqliteDatabase,
  workerId: string,
): Awaited<ReturnType<EngineStore["listHeldRuns"]>> {
  return heldRunsQuery(database, workerId)
    .all()
    .flatMap(({ token, kind, slug, ...held }) => (token === null ? [] : [{ ...held, token, target: { kind, slug } }]));
}

/** Apart, so that a test can look at its plan. `(SELECT …)` for the reason that claims have. */
export function nextAvailableQuery({ db }: SqliteDatabase) {
  return db
    .select({ at: run.availableAt })
    .from(run)
    .where(
      and(
        sql`status = 'waiting'`,
        sql`${run.isIsolated} = (SELECT ${sql.placeholder("isIsolated")})`,
        sql`${run.availableAt} > ${sql.placeholder("after")}`,
      ),
    )
    .orderBy(asc(run.availableAt))
    .limit(1);
}

export function prepareNextAvailable(
  database: SqliteDatabase,
): (pool: "shared" | "isolated", after: number) => number | null {
  const next = prepareStatement(database.connection, nextAvailableQuery(database));
  return (pool, after) => nextRow.parse(next.get({ isIsolated: pool === "isolated" ? 1 : 0, after }))?.[0] ?? null;
}

const nextRow = z.tuple([z.number()]).optional();

/** The term that looks redundant lets SQLite take the partial index `run_open`. */
export function countQueued({ db }: SqliteDatabase, pool: "shared" | "isolated"): number {
  const isQueued = and(
    sql`status IN ('queued', 'waiting')`,
    eq(run.isIsolated, pool === "isolated"),
    eq(run.status, "queued"),
  );
  return db.select({ runs: count() }).from(run).where(isQueued).get()?.runs ?? 0;
}
