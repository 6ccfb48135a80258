import type { EngineStore } from "../../../ports/store/engine-store.ts";
import type { RunJobs } from "../queue/run-jobs.ts";
import type { Session } from "../connection/session.ts";
import { looksUp } from "../statements/look-up.ts";

type LeaseRequest = Parameters<EngineStore["extendLeases"]>[0];
type Pool = Parameters<EngineStore["nextAvailableAt"]>[0];

/**
 * Whether the row of a run, found by its id, still is running. Postgres finds no rows by an expression: with the plain
 * condition, it reads all running runs, and compares each with all ids of the statement.
 */
export const isStillRunning = "run.status || '' = 'running'";

/** All operations lock rows in the same order, so none waits for another that waits for it. */
const lockHeldSql = `
  SELECT run.id, job_queue AS queue, cancel_requested_at AS "cancelRequestedAt" FROM signalbox.run
    JOIN unnest($1::text[], $2::text[]) AS t (id, token) ON ${looksUp("run.id", "t.id")} AND run.token = t.token
  WHERE ${isStillRunning} ORDER BY t.id FOR NO KEY UPDATE OF run`;

interface LockedRun {
  id: string;
  queue: string;
  cancelRequestedAt: number | null;
}

/** The heartbeat of a run's job is its lease. */
export async function extendLeases(
  session: Session,
  jobs: RunJobs,
  { runs }: LeaseRequest,
): Promise<{ lost: string[]; cancelRequested: string[] }> {
  const values = [runs.map(({ id }) => id), runs.map(({ token }) => token)];
  const locked = await session.rows<LockedRun>(lockHeldSql, values);
  await jobs.touch(
    session,
    locked.map(({ id, queue }) => ({ runId: id, queue })),
  );
  const held = new Map(locked.map((row) => [row.id, row.cancelRequestedAt]));
  const ids = runs.map(({ id }) => id);
  return {
    lost: ids.filter((id) => !held.has(id)),
    cancelRequested: ids.filter((id) => (held.get(id) ?? null) !== null),
  };
}

export async function nextAvailableAt(session: Session, pool: Pool, after: number): Promise<number | null> {
  const text =
    "SELECT available_at AS at FROM signalbox.run WHERE status = 'waiting' AND is_isolated = $1 AND available_at > $2 ORDER BY available_at LIMIT 1";
  const [next] = await session.rows<{ at: number }>(text, [pool === "isolated", after]);
  return next?.at ?? null;
}
