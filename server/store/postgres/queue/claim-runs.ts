import { type Target, targetName } from "../../../contract/project/target.ts";
import { notDueAt } from "../../../domain/runs/key-slots.ts";
import { type LiveVersion, versionsToTake } from "../../../domain/runs/run-builds.ts";
import type { ConcurrencyLimits } from "../../../domain/runs/run-limits.ts";
import type { ClaimedRun, ClaimRequest } from "../../../ports/store/engine-store.ts";
import { buildsOf, claimedBuild } from "../../shared/run-rules.ts";
import type { PostgresDatabase } from "../database.ts";
import type { Session } from "../connection/session.ts";
import { leaseClockSql, type LeaseTime } from "../engine/held-runs.ts";
import { looksUp } from "../statements/look-up.ts";
import { addEntries } from "../runs/timeline.ts";
import { wakeRuns } from "./key-slots.ts";
import { partsSql, firstOfQueueSql, type Queue, withQueuesSql } from "./queues.ts";

/** A queue with due runs. */
interface DueQueue extends Queue {
  hasWoken: boolean;
  /** When its first run was queued that is due regardless of the time; `null`: there is none. */
  queuedAt: number | null;
}

type Claim = ClaimRequest & { leaseTime: LeaseTime };

/**
 * Each round moves the runs of limited targets that it finds in a common queue, and wakes runs. The next one looks
 * again.
 */
const maxRounds = 50;

/**
 * Takes due runs. If nothing is due, nothing is locked, so other claims never wait for a worker that was woken without
 * need.
 */
export async function claimRuns(
  { read, write }: Pick<PostgresDatabase, "read" | "write">,
  p: Claim,
): Promise<ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  for (let round = 0; round < maxRounds && claimed.length < p.slots.length; round += 1) {
    const due = await read((session) => findDueQueues(session, p));
    if (due.length === 0) break;
    const rest = { ...p, slots: p.slots.slice(claimed.length) };
    const { runs, hasMoved } = await write((session) => claimFrom(session, { p: rest, due }));
    claimed.push(...runs);
    if (!hasMoved) break;
  }
  return claimed.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** New runs wait this long for workers of their own version: web and workers of a machine start together. */
const workersComeWithinMs = 10_000;

const ofQueue = { version: "queue.version", target: "queue.target", limit: "1" };

/**
 * The first run of a queue says what is due, if it does not wait for a time. Otherwise, another step into the index
 * finds the first one that was queued.
 */
export const dueQueuesSql = `
  ${withQueuesSql}
  SELECT * FROM (
    SELECT queue.version, nullif(queue.target, '') AS "limitedTarget",
      first_rank = 0 AND first_at <= $2 AS "hasWoken",
      CASE WHEN first_rank > 0 THEN nullif(first_at, ${notDueAt}) ELSE queued.available_at END AS "queuedAt"
    FROM queue LEFT JOIN LATERAL (
      SELECT available_at ${firstOfQueueSql({ ...ofQueue, part: `queue.first_rank = 0 AND ${partsSql.queued}` })}
    ) queued ON true
  ) due
  WHERE "hasWoken" OR "queuedAt" IS NOT NULL
  ORDER BY coalesce("queuedAt", 0), version, "limitedTarget" NULLS FIRST`;

async function findDueQueues(session: Session, p: ClaimRequest): Promise<readonly DueQueue[]> {
  const ofPool = await session.rows<DueQueue>(dueQueuesSql, [p.pool === "isolated", p.now]);
  return await withRoom(session, p, await ofVersion(session, p, ofPool));
}

async function ofVersion(session: Session, p: ClaimRequest, ofPool: readonly DueQueue[]): Promise<readonly DueQueue[]> {
  const builds = buildsOf(p);
  if (builds === null) return ofPool;
  const isOwn = ({ version }: DueQueue) => version === builds.version || builds.keptVersions.has(version);
  const own = ofPool.filter(isOwn);
  const isOld = ({ hasWoken, queuedAt }: DueQueue) => hasWoken || (queuedAt ?? 0) <= p.now - workersComeWithinMs;
  const others = ofPool.filter((queue) => !isOwn(queue) && isOld(queue));
  if (others.length === 0) return own;
  const live = await session.rows<LiveVersion>(liveVersionsSql, [p.now - p.leaseMs]);
  const take = versionsToTake(builds, live);
  if ("only" in take) return own;
  return [...own, ...others.filter((queue) => !take.allBut.includes(queue.version))];
}

/** Without the queues of limited targets that have no room: a claim from them would only take locks. */
async function withRoom(session: Session, p: ClaimRequest, due: readonly DueQueue[]): Promise<readonly DueQueue[]> {
  const rooms = await countRoom(session, p, limitedTargetsOf(p, due));
  return due.filter((queue) => {
    const room = roomOf(rooms, queue);
    return room === undefined || (queue.hasWoken && room.woken > 0) || (queue.queuedAt !== null && room.queued > 0);
  });
}

const liveVersionsSql = `
  SELECT version, min(started_at) AS "beganAt", ARRAY(
    SELECT DISTINCT unnest(string_to_array(nullif(other.kept_versions, ''), ',')) FROM signalbox.worker other
    WHERE other.version = worker.version AND other.seen_at > $1 AND NOT other.is_leaving
  ) AS "keptVersions"
  FROM signalbox.worker WHERE seen_at > $1 AND NOT is_leaving GROUP BY version`;

interface Claimed {
  runs: ClaimedRun[];
  /** Runs were moved to the queue of their target, or got a slot of their key, and may be due now. */
  hasMoved: boolean;
}

async function claimFrom(session: Session, { p, due }: { p: Claim; due: readonly DueQueue[] }): Promise<Claimed> {
  const rooms = await lockBounds(session, p, due);
  const taken: TakenRow[] = [];
  let moved = 0;
  for (const queue of due) {
    for (const part of ["woken", "queued"] as const) {
      const isDue = part === "woken" ? queue.hasWoken : queue.queuedAt !== null;
      const room = roomOf(rooms, queue);
      const left = Math.min(p.slots.length, room?.[part] ?? Infinity);
      const slots = p.slots.slice(taken.length, taken.length + Math.max(0, left));
      if (!isDue || slots.length === 0) continue;
      const { rows, moved: movedNow } = await take(session, p, { queue, part, slots });
      taken.push(...rows);
      moved += movedNow;
      if (room) takeRoom(room, part, rows.length);
    }
  }
  if (moved > 0) session.concernsHosts = true;
  return { runs: await beginRuns(session, p, taken), hasMoved: moved > 0 };
}

/** How many more runs of a limited target can be taken: of those whose time has come, and of the others. */
interface Room {
  woken: number;
  queued: number;
  /** Waiting runs count towards the limit: they have room already. */
  holds: boolean;
}

const roomOf = (rooms: ReadonlyMap<string, Room>, { limitedTarget }: DueQueue): Room | undefined =>
  limitedTarget === null ? undefined : rooms.get(limitedTarget);

function takeRoom(room: Room, part: Part, runs: number): void {
  if (room.holds && part === "woken") return;
  room.queued -= runs;
  if (!room.holds) room.woken -= runs;
}

const countedSql = `
  SELECT target, (SELECT count(*) FROM signalbox.run WHERE worker_id IS NOT NULL AND run.target = t.target) AS running,
    CASE WHEN t.holds THEN (SELECT count(*) FROM signalbox.run WHERE status = 'waiting' AND run.target = t.target) ELSE 0 END AS waiting
  FROM unnest($1::text[], $2::boolean[]) AS t (target, holds)`;

/**
 * How many more runs of each limited target may be running. Two claims that counted at the same time would both take
 * the last free place: hence a lock for each target, in one order for all processes.
 */
async function lockBounds(session: Session, p: ClaimRequest, due: readonly DueQueue[]): Promise<Map<string, Room>> {
  const targets = limitedTargetsOf(p, due);
  if (targets.length === 0) return new Map();
  await session.rows(
    "SELECT pg_advisory_xact_lock(hashtextextended('signalbox target ' || target, 0)) FROM unnest($1::text[]) AS target",
    [targets],
  );
  return await countRoom(session, p, targets);
}

/** In one order for all processes. */
function limitedTargetsOf({ limits }: ClaimRequest, due: readonly DueQueue[]): string[] {
  const targets = due.flatMap(({ limitedTarget: target }) =>
    target !== null && hasLimit(limits, target) ? [target] : [],
  );
  return [...new Set(targets)].sort();
}

const hasLimit = (limits: ConcurrencyLimits, target: string): boolean => typeof limits.get(target)?.limit === "number";

/** Only for targets with a `limit`. */
export async function countRoom(
  session: Session,
  { limits }: Pick<ClaimRequest, "limits">,
  given: readonly string[],
): Promise<Map<string, Room>> {
  const targets = given.filter((target) => hasLimit(limits, target));
  if (targets.length === 0) return new Map();
  const holds = targets.map((target) => limits.get(target)?.whileWaiting === "hold");
  const rows = await session.rows<{ target: string; running: number; waiting: number }>(countedSql, [targets, holds]);
  return new Map(
    rows.map(({ target, running, waiting }) => {
      const { limit = null, whileWaiting } = limits.get(target) ?? {};
      const queued = (limit ?? Infinity) - running - waiting;
      const isHolding = whileWaiting === "hold";
      return [target, { queued, woken: isHolding ? Infinity : queued, holds: isHolding }];
    }),
  );
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
  key: string | null;
  childOf: string | null;
  depth: number;
  attempt: number;
  maxAttempts: number;
  attemptsBefore: number;
  isResumed: boolean;
  payloadText: string | null;
  inputText: string | null;
  createdAt: number;
  acceptedBy: string;
}

type Part = "woken" | "queued";

/**
 * Locks the first runs of a part of a queue, and takes them. Those that another transaction has locked are skipped: it
 * may end them. Runs of limited targets in a common queue move to the queue of their target instead: a newer build has
 * added the limit. Runs that freed their slot while they slept are not taken, either: they need one first. The flag
 * that a run is resumed stays while it is running. `$4`: the worker of each run. `$5`: the limited targets. There is
 * always a row; `moved` and `asleep` are the same in all of them.
 */
const takeSql = (part: Part) => `
  WITH due AS (
    SELECT id, $3 = '' AND target = ANY($5::text[]) AS moves, key_slot IS NOT DISTINCT FROM 'asleep' AS sleeps ${firstOfQueueSql(
      {
        version: "$2",
        target: "$3",
        part: part === "woken" ? partsSql.woken("$6::bigint") : partsSql.queued,
        limit: "cardinality($4::text[])",
      },
    )}
    FOR NO KEY UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE signalbox.run SET is_limited = true FROM due WHERE due.moves AND ${looksUp("run.id", "due.id")} RETURNING 1
  ), numbered AS (SELECT id, row_number() OVER () AS n FROM due WHERE NOT (moves OR sleeps)), taken AS (
    UPDATE signalbox.run SET status = 'running', attempt = attempt + CASE WHEN is_resuming THEN 0 ELSE 1 END,
      token = gen_random_uuid()::text, progress_seq = 0, worker_id = ($4::text[])[n],
      lease_until = ${leaseClockSql("$8")} + $7::bigint, started_at = coalesce(started_at, $6::bigint)
    FROM numbered WHERE ${looksUp("run.id", "numbered.id")}
    RETURNING run.id, run.worker_id AS "workerId", run.token, trigger, attachment_id AS "attachmentId",
      target_kind AS kind, target_slug AS slug, delivery_id AS "deliveryId", failure_of AS "failureOf", run_key AS key, child_of AS "childOf", depth, attempt,
      max_attempts AS "maxAttempts", attempts_before AS "attemptsBefore", is_resuming AS "isResumed",
      payload AS "payloadText", input AS "inputText", created_at AS "createdAt", version AS "acceptedBy"
  )
  SELECT * FROM (
    SELECT (SELECT count(*) FROM moved)::int AS moved, ARRAY(SELECT id FROM due WHERE sleeps AND NOT moves) AS asleep
  ) others LEFT JOIN taken ON true`;

export const takeRunsSql = { woken: takeSql("woken"), queued: takeSql("queued") };

async function take(
  session: Session,
  { pool, limits, now, leaseMs, leaseTime }: Claim,
  { queue, part, slots }: { queue: DueQueue; part: Part; slots: readonly string[] },
): Promise<{ rows: TakenRow[]; moved: number }> {
  const { version, limitedTarget } = queue;
  const limited = [...limits.keys()].filter((target) => hasLimit(limits, target));
  const found = await session.rows<Others & (TakenRow | { id: null })>(takeRunsSql[part], [
    pool === "isolated",
    version,
    limitedTarget ?? "",
    slots,
    limited,
    now,
    leaseMs,
    leaseTime,
  ]);
  const rows = found.flatMap(({ moved: _moved, asleep: _asleep, ...row }) => (row.id === null ? [] : [row]));
  const { moved, asleep } = found[0] ?? { moved: 0, asleep: [] };
  await wakeRuns(session, asleep, limits);
  return { rows, moved: moved + asleep.length };
}

/** The runs that were found and not taken. */
interface Others {
  moved: number;
  asleep: readonly string[];
}

/** Writes the first entries of attempts. */
async function beginRuns(session: Session, p: ClaimRequest, taken: readonly TakenRow[]): Promise<ClaimedRun[]> {
  const { now, leaseMs } = p;
  const builds = buildsOf(p);
  const begun = taken.map((row) => ({
    row,
    ...claimedBuild({ version: row.acceptedBy, target: targetName(row) }, builds),
  }));
  await addEntries(
    session,
    begun.map(({ row: { id, isResumed, attempt }, note }) => ({
      runId: id,
      entry: { at: now, kind: isResumed ? "resumed" : "attempt_started", attempt, ...note },
    })),
  );
  return begun.map(({ row: { kind, slug, acceptedBy: _acceptedBy, ...row }, build }) => ({
    ...row,
    leaseUntil: now + leaseMs,
    status: "running",
    target: { kind, slug },
    ...(build && { build }),
  }));
}
