import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { runStatusCodes } from "../../../domain/stored-codes.ts";
import type { EngineStore } from "../../../ports/store/engine-store.ts";
import type { SqliteDatabase } from "../database.ts";
import { packedUuid } from "../../../domain/ids.ts";
import { isDueSql } from "./claim-runs.ts";
import { run } from "../schema.ts";
import { runId } from "../stored-forms.ts";

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

/** Parameters are in `(SELECT …)` for the same reason as in claims. */
export const nextAvailableSql = `
  SELECT available_at FROM run INDEXED BY run_waiting
  WHERE status = ${waiting} AND is_isolated = (SELECT @isolated) AND available_at > (SELECT @after) AND ${isDueSql} ORDER BY available_at LIMIT 1`;

export function prepareNextAvailable({
  connection,
}: SqliteDatabase): (pool: "shared" | "isolated", after: number) => number | null {
  const next = connection.prepare<unknown[], number>(nextAvailableSql).pluck();
  return (pool, after) => next.get({ isolated: pool === "isolated" ? 1 : 0, after }) ?? null;
}
