import { randomUUID } from "node:crypto";
import { type Target, targetName } from "../../../contract/project/target.ts";
import type { RunStatus } from "../../../contract/run.ts";
import { type LiveVersion, versionsToTake } from "../../../domain/runs/run-builds.ts";
import type { ClaimedRun, ClaimRequest } from "../../../ports/store/engine-store.ts";
import { buildsOf, claimedBuild } from "../../shared/run-rules.ts";
import type { PostgresDatabase } from "../database.ts";
import type { Session } from "../connection/session.ts";
import { looksUp } from "../statements/look-up.ts";
import { addEntries } from "../runs/timeline.ts";
import { parseQueueName, type QueueFacts, schemaName, toQueueName } from "./queue-names.ts";
import {
  inIndexOrder,
  type JobOfRun,
  maxQueuedPriority,
  type NewJob,
  type RunJobs,
  wokenPriority,
} from "./run-jobs.ts";

/** A queue with due jobs. */
interface DueQueue extends QueueFacts {
  name: string;
  hasWoken: boolean;
  hasQueued: boolean;
}

/** Each round moves the runs of limited targets that it finds in a common queue. The next one looks again. */
const maxRounds = 50;

/**
 * Takes due jobs, and with each its run. If nothing is due, nothing is locked, so other claims never
 * wait for a worker that was woken without need.
 */
export async function claimRuns(
  { read, write }: Pick<PostgresDatabase, "read" | "write">,
  jobs: RunJobs,
  p: ClaimRequest,
): Promise<ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  for (let round = 0; round < maxRounds && claimed.length < p.slots.length; round += 1) {
    const due = await read((session) => findDueQueues(session, p));
    if (due.length === 0) break;
    const rest = { ...p, slots: p.slots.slice(claimed.length) };
    const { runs, hasMoved } = await write((session) => claimFrom(session, jobs, { p: rest, due }));
    claimed.push(...runs);
    if (!hasMoved) break;
  }
  return claimed.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** New runs wait this long for workers of their own version: web and workers of a machine start together. */
const workersComeWithinSeconds = 10;

/**
 * One step into the index of pg-boss for each queue, however many jobs wait: for those that woke, and for the others.
 * Only that index has the order.
 */
export const dueQueuesSql = `
  SELECT q.name, woken.is_due IS NOT NULL AS "hasWoken", queued.created_on IS NOT NULL AS "hasQueued",
    coalesce(queued.created_on > ${schemaName}.job_now() - interval '${workersComeWithinSeconds} s', false) AS "isNew",
    coalesce(queued.created_on, 'epoch') AS since
  FROM ${schemaName}.queue q
  LEFT JOIN LATERAL (
    SELECT true AS is_due FROM ${schemaName}.job j ${inIndexOrder}
    WHERE j.name = q.name AND j.state < 'active' AND NOT j.blocked AND j.priority >= $1 AND j.start_after <= ${schemaName}.job_now()
    ORDER BY j.priority DESC, j.created_on LIMIT 1
  ) woken ON true
  LEFT JOIN LATERAL (
    SELECT created_on FROM ${schemaName}.job j ${inIndexOrder}
    WHERE j.name = q.name AND j.state < 'active' AND NOT j.blocked AND j.priority <= ${maxQueuedPriority}
    ORDER BY j.priority DESC, j.created_on LIMIT 1
  ) queued ON true
  WHERE woken.is_due IS NOT NULL OR queued.created_on IS NOT NULL
  ORDER BY since, q.name`;

type DueRow = Pick<DueQueue, "name" | "hasWoken" | "hasQueued"> & { isNew: boolean };

async function findDueQueues(session: Session, p: ClaimRequest): Promise<readonly DueQueue[]> {
  const rows = await session.rows<DueRow>(dueQueuesSql, [wokenPriority(p.now)]);
  const ofPool = rows.flatMap((row) => {
    const facts = parseQueueName(row.name);
    return facts.pool === p.pool ? [{ ...row, ...facts }] : [];
  });
  return await withRoom(session, p, await ofVersion(session, p, ofPool));
}

async function ofVersion(
  session: Session,
  p: ClaimRequest,
  ofPool: readonly (DueQueue & DueRow)[],
): Promise<readonly DueQueue[]> {
  const builds = buildsOf(p);
  if (builds === null) return ofPool;
  const isOwn = ({ version }: DueQueue) => version === builds.version || builds.keptVersions.has(version);
  const own = ofPool.filter(isOwn);
  const others = ofPool.filter((queue) => !isOwn(queue) && (queue.hasWoken || !queue.isNew));
  if (others.length === 0) return own;
  const live = await session.rows<LiveVersion>(liveVersionsSql, [p.now - p.leaseMs]);
  const take = versionsToTake(builds, live);
  if ("only" in take) return own;
  return [...own, ...others.filter((queue) => !take.allBut.includes(queue.version))];
}

/** Without the queues of limited targets that have no room: a claim from them would only take locks. */
async function withRoom(session: Session, p: ClaimRequest, due: readonly DueQueue[]): Promise<readonly DueQueue[]> {
  const free = await countFree(session, p, limitedTargetsOf(p, due));
  return due.filter((queue) => (freeOf(free, queue) ?? 1) > 0);
}

const liveVersionsSql = `
  SELECT version, min(started_at) AS "beganAt", ARRAY(
    SELECT DISTINCT unnest(string_to_array(nullif(other.kept_versions, ''), ',')) FROM signalbox.worker other
    WHERE other.version = worker.version AND other.seen_at > $1 AND NOT other.is_leaving
  ) AS "keptVersions"
  FROM signalbox.worker WHERE seen_at > $1 AND NOT is_leaving GROUP BY version`;

interface Claimed {
  runs: ClaimedRun[];
  /** Runs were moved to the queue of their target, and may be due there. */
  hasMoved: boolean;
}

async function claimFrom(
  session: Session,
  jobs: RunJobs,
  { p, due }: { p: ClaimRequest; due: readonly DueQueue[] },
): Promise<Claimed> {
  const free = await lockBounds(session, p, due);
  const fetched: { runId: string; queue: DueQueue }[] = [];
  for (const queue of due) {
    const room = () => Math.min(p.slots.length - fetched.length, freeOf(free, queue) ?? Number.POSITIVE_INFINITY);
    for (const kind of ["woken", "queued"] as const) {
      const isDue = kind === "woken" ? queue.hasWoken : queue.hasQueued;
      const limit = room();
      if (!isDue || limit <= 0) continue;
      const taken = await jobs.take(session, queue.name, {
        limit,
        due: kind === "woken" ? { kind, now: p.now } : { kind },
      });
      fetched.push(...taken.map((runId) => ({ runId, queue })));
      const { limitedTarget } = queue;
      const left = freeOf(free, queue);
      if (limitedTarget !== null && left !== undefined) free.set(limitedTarget, left - taken.length);
    }
  }
  if (fetched.length === 0) return { runs: [], hasMoved: false };
  const runs = await takeRuns(session, p, fetched);
  const taken = new Set(runs.map(({ id }) => id));
  const rest = fetched.filter(({ runId }) => !taken.has(runId));
  return { runs, hasMoved: rest.length > 0 && (await putBack(session, jobs, { p, rest })) };
}

const freeOf = (free: ReadonlyMap<string, number>, { limitedTarget }: DueQueue): number | undefined =>
  limitedTarget === null ? undefined : free.get(limitedTarget);

const runningSql = `
  SELECT target, (SELECT count(*) FROM signalbox.run WHERE worker_id IS NOT NULL AND run.target = t.target) AS running FROM unnest($1::text[]) AS t (target)`;

/**
 * How many more runs of each limited target may be running. Two claims that counted at the same time would both take
 * the last free place: hence a lock for each target, in one order for all processes.
 */
async function lockBounds(session: Session, p: ClaimRequest, due: readonly DueQueue[]): Promise<Map<string, number>> {
  const targets = limitedTargetsOf(p, due);
  if (targets.length === 0) return new Map();
  await session.rows(
    "SELECT pg_advisory_xact_lock(hashtextextended('signalbox target ' || target, 0)) FROM unnest($1::text[]) AS target",
    [targets],
  );
  return await countFree(session, p, targets);
}

/** In one order for all processes. */
function limitedTargetsOf({ concurrency }: ClaimRequest, due: readonly DueQueue[]): string[] {
  const targets = due.flatMap(({ limitedTarget: target }) =>
    target !== null && concurrency.has(target) ? [target] : [],
  );
  return [...new Set(targets)].sort();
}

/** How many more runs of each of these limited targets may be running. */
export async function countFree(
  session: Session,
  { concurrency }: Pick<ClaimRequest, "concurrency">,
  targets: readonly string[],
): Promise<Map<string, number>> {
  if (targets.length === 0) return new Map();
  const rows = await session.rows<{ target: string; running: number }>(runningSql, [targets]);
  return new Map(rows.map(({ target, running }) => [target, (concurrency.get(target) ?? 0) - running]));
}

interface TakenRow {
  id: string;
  workerId: string;
  token: string;
  trigger: string | null;
  attachmentId: string | null;
  kind: Target["kind"];
  slug: string;
  deliveryId: string | null;
  failureOf: string | null;
  attempt: number;
  maxAttempts: number;
  attemptsBefore: number;
  isResumed: boolean;
  payloadText: string | null;
  inputText: string | null;
  createdAt: number;
  acceptedBy: string;
}

/** Not a condition that an index has; see `isStillRunning`. */
const isStillOpen = "run.status || '' IN ('queued', 'waiting')";

/**
 * A run that another transaction has locked is skipped: that transaction may cancel it, and wait for the job that this
 * one has. Waiting for it would be a deadlock. The flag that the run is resumed stays while the run is held.
 */
const takeRunsSql = `
  WITH locked AS (
    SELECT run.id, run.created_at FROM signalbox.run JOIN unnest($1::text[], $2::text[], $3::boolean[]) AS t (id, queue, is_counted) ON ${looksUp("run.id", "t.id")}
    WHERE ${isStillOpen} AND run.job_queue = t.queue AND (t.is_counted OR run.target <> ALL($4::text[]))
    FOR NO KEY UPDATE OF run SKIP LOCKED
  ), numbered AS (SELECT id, row_number() OVER (ORDER BY created_at, id) AS n FROM locked)
  UPDATE signalbox.run SET status = 'running', attempt = attempt + CASE WHEN is_resuming THEN 0 ELSE 1 END, token = ($5::text[])[n], progress_seq = 0, worker_id = ($6::text[])[n], started_at = coalesce(started_at, $7)
  FROM numbered WHERE ${looksUp("run.id", "numbered.id")}
  RETURNING run.id, run.worker_id AS "workerId", run.token, trigger, attachment_id AS "attachmentId", target_kind AS kind, target_slug AS slug, delivery_id AS "deliveryId", failure_of AS "failureOf", attempt,
    max_attempts AS "maxAttempts", attempts_before AS "attemptsBefore", is_resuming AS "isResumed", payload AS "payloadText", input AS "inputText", created_at AS "createdAt", version AS "acceptedBy"`;

async function takeRuns(
  session: Session,
  p: ClaimRequest,
  fetched: readonly { runId: string; queue: DueQueue }[],
): Promise<ClaimedRun[]> {
  const { slots, now, leaseMs, concurrency } = p;
  const builds = buildsOf(p);
  const rows = await session.rows<TakenRow>(takeRunsSql, [
    fetched.map(({ runId }) => runId),
    fetched.map(({ queue }) => queue.name),
    fetched.map(({ queue }) => queue.limitedTarget !== null),
    [...concurrency.keys()],
    fetched.map(() => randomUUID()),
    slots.slice(0, fetched.length),
    now,
  ]);
  const taken = rows.map((row) => ({
    row,
    ...claimedBuild({ version: row.acceptedBy, target: targetName(row) }, builds),
  }));
  await addEntries(
    session,
    taken.map(({ row: { id, isResumed, attempt }, note }) => ({
      runId: id,
      entry: { at: now, kind: isResumed ? "resumed" : "attempt_started", attempt, ...note },
    })),
  );
  return taken.map(({ row: { kind, slug, acceptedBy: _acceptedBy, ...row }, build }) => ({
    ...row,
    leaseUntil: now + leaseMs,
    status: "running",
    target: { kind, slug },
    ...(build && { build }),
  }));
}

const openSql = `SELECT id, status, target, available_at AS "availableAt", job_queue AS queue FROM signalbox.run WHERE id = ANY($1::text[])`;

interface OpenRow {
  id: string;
  status: RunStatus;
  target: string;
  availableAt: number;
  queue: string | null;
}

/**
 * Jobs that were taken without their run. Those of a limited target move to its queue: the bound was added by a newer
 * build. Of the others, the run is locked by a transaction that may wait for the job. A job without an open run ends.
 * Returns whether runs were moved.
 */
async function putBack(
  session: Session,
  jobs: RunJobs,
  { p, rest }: { p: ClaimRequest; rest: readonly { runId: string; queue: DueQueue }[] },
): Promise<boolean> {
  const rows = await session.rows<OpenRow>(openSql, [rest.map(({ runId }) => runId)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const limited = rest.flatMap(({ runId, queue }) => {
    const target = byId.get(runId)?.target;
    if (target === undefined || queue.limitedTarget !== null || !p.concurrency.has(target)) return [];
    return [{ runId, queue: toQueueName({ ...queue, limitedTarget: target }) }];
  });
  const moved = await moveRuns(session, limited);
  await jobs.end(
    session,
    rest.map(({ runId, queue }) => ({ runId, queue: queue.name })),
  );
  const back = rest
    .flatMap(({ runId, queue: { name } }) => {
      const run = byId.get(runId);
      return run?.queue === name && (run.status === "queued" || run.status === "waiting") ? [{ name, run }] : [];
    })
    .sort((a, b) => a.run.availableAt - b.run.availableAt)
    .map(({ name, run: { id, status, availableAt } }): NewJob => {
      const queue = moved.get(id);
      const kind = queue === undefined ? "interrupted" : "queued";
      return {
        runId: id,
        queue: queue ?? name,
        state: status === "waiting" ? { kind: "waiting", until: availableAt } : { kind },
      };
    });
  await jobs.add(session, back);
  return moved.size > 0;
}

const moveSql = `
  WITH locked AS (
    SELECT run.id, m.queue FROM signalbox.run JOIN unnest($1::text[], $2::text[]) AS m (id, queue) ON ${looksUp("run.id", "m.id")}
    WHERE ${isStillOpen} FOR NO KEY UPDATE OF run SKIP LOCKED
  )
  UPDATE signalbox.run SET job_queue = locked.queue FROM locked WHERE ${looksUp("run.id", "locked.id")} RETURNING run.id, run.job_queue AS queue`;

/** Returns the new queues of the runs that were not locked. */
async function moveRuns(session: Session, moves: readonly JobOfRun[]): Promise<Map<string, string>> {
  if (moves.length === 0) return new Map();
  const rows = await session.rows<{ id: string; queue: string }>(moveSql, [
    moves.map(({ runId }) => runId),
    moves.map(({ queue }) => queue),
  ]);
  return new Map(rows.map(({ id, queue }) => [id, queue]));
}
