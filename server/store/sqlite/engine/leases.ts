import { and, count, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { runStatusCodes } from "../../../domain/stored-codes.ts";
import type { EngineStore } from "../../../ports/store/engine-store.ts";
import type { SqliteDatabase } from "../database.ts";
import { type Packed, packedUuid } from "../../../domain/ids.ts";
import { run } from "../schema.ts";
import { isOpenSql, readTarget, runId, workerId } from "../stored-forms.ts";

type LeaseRequest = Parameters<EngineStore["extendLeases"]>[0];

const { running, waiting } = runStatusCodes;

export function prepareExtendLeases({
  connection,
}: SqliteDatabase): (p: LeaseRequest) => { lost: string[]; cancelRequested: string[] } {
  const extend = connection
    .prepare<unknown[], number | null>(
      `UPDATE run SET lease_until = ? WHERE id = ? AND token = ? AND status = ${running} RETURNING cancel_requested_at`,
    )
    .pluck();
  return (p) => {
    const lost: string[] = [];
    const cancelRequested: string[] = [];
    for (const { id, token } of p.runs) {
      const requestedAt = extend.get(p.now + p.leaseMs, runId.pack(id), packedUuid.pack(token));
      if (requestedAt === undefined) lost.push(id);
      else if (requestedAt !== null) cancelRequested.push(id);
    }
    return { lost, cancelRequested };
  };
}

export function listCancelRequested({ db }: SqliteDatabase, runIds: readonly string[]): string[] {
  const rows = db
    .select({ id: run.id })
    .from(run)
    .where(and(inArray(run.id, [...runIds]), eq(run.status, "running"), isNotNull(run.cancelRequestedAt)))
    .all();
  return rows.map(({ id }) => id);
}

/** Reads all running runs, which are few. */
export const heldRunsSql = `
  SELECT id, token, version, target, failure_of AS failureOf, attempt, max_attempts AS maxAttempts, attempts_before AS attemptsBefore, crashes FROM run INDEXED BY run_open
  WHERE ${isOpenSql} AND status = ${running} AND worker_id = ? ORDER BY seq`;

type HeldRun = Awaited<ReturnType<EngineStore["listHeldRuns"]>>[number];

interface HeldRow extends Pick<HeldRun, "attempt" | "maxAttempts" | "attemptsBefore" | "crashes"> {
  id: Packed;
  token: Packed;
  version: number;
  target: number;
  failureOf: Packed | null;
}

export function listHeldRuns({ connection, names }: SqliteDatabase, worker: string): HeldRun[] {
  return connection
    .prepare<unknown[], HeldRow>(heldRunsSql)
    .all(workerId.pack(worker))
    .map(({ id, token, version, target, failureOf, ...held }) => ({
      id: runId.unpack(id),
      token: packedUuid.unpack(token),
      version: names.textOf(version),
      target: readTarget(names.textOf(target)),
      failureOf: failureOf === null ? null : runId.unpack(failureOf),
      ...held,
    }));
}

/** Parameters are in `(SELECT …)` for the same reason as in claims. */
export const nextAvailableSql = `
  SELECT available_at FROM run INDEXED BY run_waiting
  WHERE status = ${waiting} AND is_isolated = (SELECT @isolated) AND available_at > (SELECT @after) ORDER BY available_at LIMIT 1`;

export function prepareNextAvailable({
  connection,
}: SqliteDatabase): (pool: "shared" | "isolated", after: number) => number | null {
  const next = connection.prepare<unknown[], number>(nextAvailableSql).pluck();
  return (pool, after) => next.get({ isolated: pool === "isolated" ? 1 : 0, after }) ?? null;
}

/** The seemingly redundant term lets SQLite use the partial index `run_open`. */
export function countQueued({ db }: SqliteDatabase, pool: "shared" | "isolated"): number {
  const isQueued = and(sql.raw(isOpenSql), eq(run.status, "queued"), eq(run.isIsolated, pool === "isolated"));
  return db.select({ runs: count() }).from(run).where(isQueued).get()?.runs ?? 0;
}
