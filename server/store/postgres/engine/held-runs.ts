import type { EngineStore } from "../../../ports/store/engine-store.ts";
import type { Target } from "../../../contract/project/target.ts";
import type { RunJobs } from "../queue/run-jobs.ts";
import type { Session } from "../connection/session.ts";
import { looksUp } from "../statements/look-up.ts";

type LeaseRequest = Parameters<EngineStore["extendLeases"]>[0];
type Pool = Parameters<EngineStore["countQueued"]>[0];

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

interface HeldRow {
  id: string;
  token: string;
  version: string;
  kind: Target["kind"];
  slug: string;
  failureOf: string | null;
  attempt: number;
  maxAttempts: number;
  attemptsBefore: number;
  crashes: number;
}

const heldRunsSql = `
  SELECT id, token, version, target_kind AS kind, target_slug AS slug, failure_of AS "failureOf", attempt, max_attempts AS "maxAttempts", attempts_before AS "attemptsBefore", crashes FROM signalbox.run
  WHERE worker_id = $1 AND token IS NOT NULL ORDER BY id`;

export async function listHeldRuns(session: Session, workerId: string): ReturnType<EngineStore["listHeldRuns"]> {
  return (await session.rows<HeldRow>(heldRunsSql, [workerId])).map(({ kind, slug, ...held }) => ({
    ...held,
    target: { kind, slug },
  }));
}

export async function nextAvailableAt(session: Session, pool: Pool, after: number): Promise<number | null> {
  const text =
    "SELECT available_at AS at FROM signalbox.run WHERE status = 'waiting' AND is_isolated = $1 AND available_at > $2 ORDER BY available_at LIMIT 1";
  const [next] = await session.rows<{ at: number }>(text, [pool === "isolated", after]);
  return next?.at ?? null;
}

export async function countQueued(session: Session, pool: Pool): Promise<number> {
  const isOfPool = pool === "isolated" ? "is_isolated" : "NOT is_isolated";
  const [found] = await session.rows<{ runs: number }>(
    `SELECT count(*) AS runs FROM signalbox.run WHERE status = 'queued' AND ${isOfPool}`,
  );
  return found?.runs ?? 0;
}
