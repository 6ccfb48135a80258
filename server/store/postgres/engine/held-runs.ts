import type { EngineStore } from "../../../ports/store/engine-store.ts";
import type { Session } from "../connection/session.ts";
import { looksUp } from "../statements/look-up.ts";

type LeaseRequest = Parameters<EngineStore["extendLeases"]>[0];

/**
 * Whether the row of a run, found by its id, still is running. Postgres finds no rows by an expression: with the plain
 * condition, it reads all running runs, and compares each with all ids of the statement.
 */
export const isStillRunning = "run.status || '' = 'running'";

/** The time at which a lease begins or is checked. `null`: that of the database, by which all machines agree. */
export type LeaseTime = number | null;

export const leaseClockSql = (at: string) =>
  `coalesce(${at}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;

/** All operations lock rows in the same order, so none waits for another that waits for it. */
const extendSql = `
  WITH held AS (
    SELECT run.id FROM signalbox.run
      JOIN unnest($1::text[], $2::text[]) AS t (id, token) ON ${looksUp("run.id", "t.id")} AND run.token = t.token
    WHERE ${isStillRunning} ORDER BY t.id FOR NO KEY UPDATE OF run
  )
  UPDATE signalbox.run SET lease_until = ${leaseClockSql("$3")} + $4::bigint FROM held WHERE ${looksUp("run.id", "held.id")}
  RETURNING run.id, cancel_requested_at AS "cancelRequestedAt"`;

interface HeldRun {
  id: string;
  cancelRequestedAt: number | null;
}

export async function extendLeases(
  session: Session,
  { runs, at, leaseMs }: Omit<LeaseRequest, "now"> & { at: LeaseTime },
): Promise<{ lost: string[]; cancelRequested: string[] }> {
  const values = [runs.map(({ id }) => id), runs.map(({ token }) => token), at, leaseMs];
  const held = new Map(
    (await session.rows<HeldRun>(extendSql, values)).map((row) => [row.id, row.cancelRequestedAt] as const),
  );
  const ids = runs.map(({ id }) => id);
  return {
    lost: ids.filter((id) => !held.has(id)),
    cancelRequested: ids.filter((id) => (held.get(id) ?? null) !== null),
  };
}
