import { randomUUID } from "node:crypto";
import type { Target } from "../../contract/project/target.ts";
import { type LiveVersion, versionsToTake } from "../../domain/runs/versions-to-take.ts";
import type { ClaimedRun, ClaimRequest } from "../../ports/store/engine-store.ts";
import { versionNote } from "../shared/version-note.ts";
import type { Session } from "./session.ts";
import { addEntries } from "./timeline.ts";

/** Whether anything is due: a look that locks nothing, so a worker that is woken for nothing disturbs nobody. */
export async function hasDue(session: Session, p: ClaimRequest): Promise<boolean> {
  const scope = await findScope(session, p);
  return (await selectDue(session, p, { scope, free: await findFree(session, p), limit: 1, avoid: [] })).length > 0;
}

/**
 * Takes the oldest that are due and that nobody else is taking right now. What others have locked they take, all of it:
 * it is passed over, and what comes after it is looked at.
 */
export async function claimRuns(session: Session, p: ClaimRequest): Promise<ClaimedRun[]> {
  await lockBounds(session, p.concurrency);
  const scope = await findScope(session, p);
  const free = await findFree(session, p);
  const taken: DueRun[] = [];
  for (const avoid: string[] = []; taken.length < p.slots.length;) {
    const due = await selectDue(session, p, { scope, free, limit: p.slots.length - taken.length, avoid });
    const locked = await lockRuns(session, p, due);
    for (const { target } of locked) free.set(target, (free.get(target) ?? 0) - 1);
    taken.push(...locked);
    avoid.push(...due.map(({ id }) => id));
    if (locked.length === due.length) break;
  }
  return takeRuns(session, p, taken);
}

/**
 * Two that count the running runs of a target at the same time would both take the last free place. In one order for
 * all processes.
 */
async function lockBounds(session: Session, concurrency: ClaimRequest["concurrency"]): Promise<void> {
  if (concurrency.size === 0) return;
  await session.rows(
    "SELECT pg_advisory_xact_lock(hashtextextended('signalbox target ' || target, 0)) FROM unnest($1::text[]) AS target",
    [[...concurrency.keys()].sort()],
  );
}

/**
 * Every target that has open runs in the pool, by a loose scan: one jump into `run_open` for each target, however many
 * runs wait.
 */
const openTargetsSql = `
  WITH RECURSIVE open_target (target) AS (
    (SELECT min(target) FROM run WHERE status IN ('queued', 'waiting') AND is_isolated = $1)
    UNION ALL
    SELECT (SELECT min(run.target) FROM run WHERE status IN ('queued', 'waiting') AND is_isolated = $1 AND run.target > open_target.target)
    FROM open_target WHERE open_target.target IS NOT NULL
  )
  SELECT target FROM open_target WHERE target IS NOT NULL`;

const runningSql =
  "SELECT target, count(*) AS running FROM run WHERE status = 'running' AND target = ANY($1::text[]) GROUP BY target";

/** How many more runs of each open target may be running. */
async function findFree(session: Session, { pool, concurrency, slots }: ClaimRequest): Promise<Map<string, number>> {
  const limit = slots.length;
  const targets = (await session.rows<{ target: string }>(openTargetsSql, [pool === "isolated"])).map(
    ({ target }) => target,
  );
  const bounded = targets.filter((target) => concurrency.has(target));
  const rows =
    bounded.length === 0 ? [] : await session.rows<{ target: string; running: number }>(runningSql, [bounded]);
  const running = new Map(rows.map((row) => [row.target, row.running]));
  return new Map(
    targets.map((target) => [
      target,
      Math.min(limit, (concurrency.get(target) ?? limit + (running.get(target) ?? 0)) - (running.get(target) ?? 0)),
    ]),
  );
}

interface DueRun {
  id: string;
  target: string;
  availableAt: number;
}

/** Runs that a claim may take, by the version that accepted them. */
interface Scope {
  only: string | null;
  allBut: readonly string[];
  own: string;
  /** Runs of a version that no worker has, and that were accepted later than this, are left alone. */
  strangersUntil: number;
}

/** Where versions make no difference. */
const anyVersion: Scope = { only: null, allBut: [], own: "", strangersUntil: Number.MAX_SAFE_INTEGER };
/**
 * Web and workers of a machine start together, and web may be first: its workers have so long to come before others
 * take what it accepted.
 */
const workersComeWithinMs = 10_000;

const liveVersionsSql = `SELECT version, min(started_at) AS "beganAt" FROM worker WHERE seen_at > $1 AND NOT is_leaving GROUP BY version`;

async function findScope(session: Session, { version, now, leaseMs }: ClaimRequest): Promise<Scope> {
  if (version === undefined) return anyVersion;
  const take = versionsToTake(version, await session.rows<LiveVersion>(liveVersionsSql, [now - leaseMs]));
  return {
    only: "only" in take ? take.only : null,
    allBut: "allBut" in take ? take.allBut : [],
    own: version,
    strangersUntil: now - workersComeWithinMs,
  };
}

const isInScope =
  "($6::text IS NULL OR version = $6) AND version <> ALL($7::text[]) AND (version = $8 OR created_at <= $9)";

/** The oldest due runs of each target. A queued run is due whatever its time, so that a clock set back holds up nothing. */
const dueRunsSql = `
  SELECT d.id, t.target, d.available_at AS "availableAt" FROM unnest($1::text[], $2::integer[]) AS t (target, free) CROSS JOIN LATERAL (
    (SELECT id, available_at FROM run WHERE run.target = t.target AND is_isolated = $3 AND status = 'queued' AND id <> ALL($5::text[]) AND ${isInScope}
      ORDER BY available_at, id LIMIT t.free)
    UNION ALL
    (SELECT id, available_at FROM run WHERE run.target = t.target AND is_isolated = $3 AND status = 'waiting' AND available_at <= $4 AND id <> ALL($5::text[]) AND ${isInScope}
      ORDER BY available_at, id LIMIT t.free)
  ) AS d`;

async function selectDue(
  session: Session,
  p: ClaimRequest,
  {
    scope,
    free,
    limit,
    avoid,
  }: { scope: Scope; free: ReadonlyMap<string, number>; limit: number; avoid: readonly string[] },
): Promise<DueRun[]> {
  const open = [...free].filter(([, places]) => places > 0);
  if (open.length === 0) return [];
  const values = [
    open.map(([target]) => target),
    open.map(([, places]) => Math.min(places, limit)),
    p.pool === "isolated",
    p.now,
    avoid,
    scope.only,
    scope.allBut,
    scope.own,
    scope.strangersUntil,
  ];
  const rows = await session.rows<DueRun>(dueRunsSql, values);
  const byTarget = Map.groupBy(rows, ({ target }) => target);
  return oldestFirst([...byTarget].flatMap(([target, due]) => oldestFirst(due).slice(0, free.get(target)))).slice(
    0,
    limit,
  );
}

function oldestFirst(rows: DueRun[]): DueRun[] {
  return rows.sort((a, b) => a.availableAt - b.availableAt || (a.id < b.id ? -1 : 1));
}

const lockRunsSql = `
  SELECT id FROM run WHERE id = ANY($1::text[]) AND is_isolated = $2 AND (status = 'queued' OR (status = 'waiting' AND available_at <= $3))
  FOR NO KEY UPDATE SKIP LOCKED`;

async function lockRuns(session: Session, { pool, now }: ClaimRequest, due: readonly DueRun[]): Promise<DueRun[]> {
  if (due.length === 0) return [];
  const locked = new Set(
    (await session.rows<{ id: string }>(lockRunsSql, [due.map(({ id }) => id), pool === "isolated", now])).map(
      ({ id }) => id,
    ),
  );
  return due.filter(({ id }) => locked.has(id));
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
  attempt: number;
  maxAttempts: number;
  isResumed: boolean;
  payloadText: string | null;
  inputText: string | null;
  createdAt: number;
  acceptedBy: string;
}

/** The flag that it is resumed stays while the run is held; whoever gives the run back sets it anew. */
const takeRunsSql = `
  UPDATE run SET status = 'running', attempt = attempt + CASE WHEN is_resuming THEN 0 ELSE 1 END, token = t.token, progress_seq = 0, worker_id = t.worker_id, lease_until = $4, started_at = coalesce(started_at, $5)
  FROM unnest($1::text[], $2::text[], $3::text[]) AS t (id, token, worker_id) WHERE run.id = t.id
  RETURNING run.id, run.worker_id AS "workerId", run.token, trigger, attachment_id AS "attachmentId", target_kind AS kind, target_slug AS slug, delivery_id AS "deliveryId", attempt,
    max_attempts AS "maxAttempts", is_resuming AS "isResumed", payload AS "payloadText", input AS "inputText", created_at AS "createdAt", version AS "acceptedBy"`;

async function takeRuns(
  session: Session,
  { slots, now, leaseMs, version }: ClaimRequest,
  taken: readonly DueRun[],
): Promise<ClaimedRun[]> {
  if (taken.length === 0) return [];
  const leaseUntil = now + leaseMs;
  const rows = await session.rows<TakenRow>(takeRunsSql, [
    taken.map(({ id }) => id),
    taken.map(() => randomUUID()),
    slots.slice(0, taken.length),
    leaseUntil,
    now,
  ]);
  if (rows.length !== taken.length) throw new Error(`${rows.length} of ${taken.length} locked runs were taken`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const claimed = oldestFirst([...taken]).flatMap(({ id }) => byId.get(id) ?? []);
  await addEntries(
    session,
    claimed.map(({ id, isResumed, attempt, acceptedBy }) => ({
      runId: id,
      entry: {
        at: now,
        kind: isResumed ? "resumed" : "attempt_started",
        attempt,
        ...versionNote({ acceptedBy, executedBy: version }),
      },
    })),
  );
  return claimed.map(({ kind, slug, acceptedBy: _acceptedBy, ...row }) => ({
    ...row,
    leaseUntil,
    status: "running",
    target: { kind, slug },
  }));
}
