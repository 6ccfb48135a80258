import { randomUUID } from "node:crypto";
import { keySlotCodes, notDueAt } from "../../../domain/runs/key-slots.ts";
import type { ConcurrencyLimits } from "../../../domain/runs/run-limits.ts";
import { runStatusCodes } from "../../../domain/stored-codes.ts";
import type { ClaimedRun, ClaimRequest } from "../../../ports/store/engine-store.ts";
import { buildsOf, claimedBuild } from "../../shared/run-rules.ts";
import type { SqliteDatabase } from "../database.ts";
import type { Connection } from "../file/open-connection.ts";
import type { KeySlots } from "../runs/key-slots.ts";
import { type Packed, packedUuid } from "../../../domain/ids.ts";
import { deliveryId, inputSql, isOpenSql, payloadSql, readTarget, runId, workerId } from "../stored-forms.ts";
import { type AddEntry, implied } from "../runs/timeline.ts";

/**
 * Claims in two steps: finding due runs, and taking them. The first is a read without a lock, so a worker that was
 * woken for nothing does not block other processes. It is repeated under the write lock.
 */
export function prepareClaimRuns(
  database: SqliteDatabase,
  { addEntry, keySlots }: { addEntry: AddEntry; keySlots: KeySlots },
): { hasDue(p: ClaimRequest): boolean; claim(p: ClaimRequest): ClaimedRun[] } {
  const selectDue = prepareSelectDue(database);
  const takeRun = prepareTakeRun(database, addEntry);
  return {
    hasDue: (p) => selectDue(p).length > 0,
    claim: (p) => {
      const claimed: ClaimedRun[] = [];
      for (const seq of selectDue(p)) {
        const slot = p.slots[claimed.length];
        if (slot === undefined) break;
        const order = { ...p, workerId: slot };
        // A run that freed its slot while it slept may have to wait for one.
        const run = takeRun(seq, order) ?? (keySlots.wake(seq, p.limits) ? takeRun(seq, order) : null);
        if (run) claimed.push(run);
      }
      return claimed;
    },
  };
}

const { queued, waiting, running } = runStatusCodes;

/**
 * Every target with runs of this status in the pool, by a loose index scan: one seek in `run_open` for each target,
 * regardless of its number of runs. SQLite uses a partial index only if the query repeats its WHERE literally, hence
 * the seemingly redundant term. Parameters are in `(SELECT …)`: next to a partial index, or as a LIMIT, SQLite would
 * prepare the statement again for each value. That takes ten times as long as the query.
 */
const targetsSql = (status: number) => `
  WITH RECURSIVE open_target (target) AS (
    SELECT min(target) FROM run INDEXED BY run_open
    WHERE ${isOpenSql} AND status = ${status} AND is_isolated = (SELECT :isolated)
    UNION ALL
    SELECT (
      SELECT min(target) FROM run INDEXED BY run_open
      WHERE ${isOpenSql} AND status = ${status} AND is_isolated = (SELECT :isolated) AND target > open_target.target
    ) FROM open_target WHERE open_target.target IS NOT NULL
  )
  SELECT target FROM open_target WHERE target IS NOT NULL`;

export const openTargetsSql = { queued: targetsSql(queued), waiting: targetsSql(waiting) };

/** Runs that wait for a slot of their key are last in their queue, and not due. */
export const isDueSql = `available_at < ${notDueAt}`;

/**
 * The oldest due runs of one target. A queued run is due regardless of its time, so a clock that was set back delays
 * nothing.
 */
const dueSql = (status: string) => `
  SELECT available_at, seq FROM run INDEXED BY run_open
  WHERE ${isOpenSql} AND status = ${status} AND is_isolated = (SELECT :isolated) AND target = (SELECT :target)`;

export const dueRunsSql = {
  queued: `${dueSql(`${queued}`)} AND ${isDueSql} ORDER BY available_at, seq LIMIT (SELECT :limit)`,
  waiting: `${dueSql(`${waiting}`)} AND available_at <= (SELECT :now) ORDER BY available_at, seq LIMIT (SELECT :limit)`,
};

const countedSql = (status: string) => `
  SELECT count(*) FROM run INDEXED BY run_open
  WHERE ${isOpenSql} AND status IN (${status}) AND is_isolated IN (0, 1) AND target = :target`;

/** The runs of a target that count towards its `limit`. Waiting ones count with `whileWaiting: "hold"`. */
export const countedOfTargetSql = { release: countedSql(`${running}`), hold: countedSql(`${waiting}, ${running}`) };

type CountRoom = (p: { limits: ConcurrencyLimits; target: number; name: string; atMost: number }) => {
  /** How many queued runs of the target can start. */
  queued: number;
  /** How many waiting ones can continue. */
  waiting: number;
};

/** With `hold`, a run that waits counts towards the `limit` already. */
export function prepareCountRoom(connection: Connection): CountRoom {
  const counted = {
    release: connection.prepare<unknown[], number>(countedOfTargetSql.release).pluck(),
    hold: connection.prepare<unknown[], number>(countedOfTargetSql.hold).pluck(),
  };
  return ({ limits, target, name, atMost }) => {
    const { limit = null, whileWaiting = "release" } = limits.get(name) ?? {};
    if (limit === null) return { queued: atMost, waiting: atMost };
    const room = Math.max(0, Math.min(atMost, limit - (counted[whileWaiting].get({ target }) ?? 0)));
    return { queued: room, waiting: whileWaiting === "hold" ? atMost : room };
  };
}

type Due = [availableAt: number, seq: number];

function prepareSelectDue({ connection, names }: SqliteDatabase): (p: ClaimRequest) => number[] {
  const targets = [openTargetsSql.queued, openTargetsSql.waiting].map((sql) =>
    connection.prepare<unknown[], number>(sql).pluck(),
  );
  const dueQueued = connection.prepare<unknown[], Due>(dueRunsSql.queued).raw();
  const dueWaiting = connection.prepare<unknown[], Due>(dueRunsSql.waiting).raw();
  const countRoom = prepareCountRoom(connection);

  return ({ pool, limits, slots, now }) => {
    const atMost = slots.length;
    const isolated = pool === "isolated" ? 1 : 0;
    const open = new Set(targets.flatMap((statement) => statement.all({ isolated })));
    const due = [...open].flatMap((target) => {
      const unlimited = { queued: atMost, waiting: atMost };
      const room = limits.size === 0 ? unlimited : countRoom({ limits, target, name: names.textOf(target), atMost });
      const rows = [
        ...(room.queued > 0 ? dueQueued.all({ isolated, target, limit: room.queued }) : []),
        ...(room.waiting > 0 ? dueWaiting.all({ isolated, target, limit: room.waiting, now }) : []),
      ];
      return oldestFirst(rows).slice(0, Math.max(room.queued, room.waiting));
    });
    return oldestFirst(due)
      .slice(0, atMost)
      .map(([, seq]) => seq);
  };
}

function oldestFirst(rows: Due[]): Due[] {
  return rows.sort(([atA, seqA], [atB, seqB]) => atA - atB || seqA - seqB);
}

/**
 * `is_resuming` keeps its value while the run is claimed; the next transition sets it. `version` is NULL if it is
 * unknown.
 */
const takeSql = `
  UPDATE run SET status = ${running}, attempt = attempt + 1 - is_resuming, token = @token, progress_seq = 0, worker_id = @workerId,
    lease_until = @leaseUntil, started_at = coalesce(started_at, @now),
    implied_entries = implied_entries | CASE WHEN attempt = 0 AND version = coalesce(@version, version) THEN ${implied.started} ELSE 0 END
  WHERE seq = @seq AND status IN (${queued}, ${waiting}) AND key_slot IS NOT ${keySlotCodes.asleep}
  RETURNING id, trigger, attachment, target, (SELECT id FROM delivery WHERE delivery.seq = run.delivery) AS delivery,
    failure_of AS failureOf, run_key AS key, child_of AS childOf, depth, attempt, max_attempts AS maxAttempts, attempts_before AS attemptsBefore, is_resuming AS isResuming, ${payloadSql} AS payload, ${inputSql} AS input,
    created_at AS createdAt, version`;

interface TakenRow {
  id: Packed;
  trigger: number | null;
  attachment: number | null;
  target: number;
  delivery: Packed | null;
  failureOf: Packed | null;
  key: string | null;
  childOf: Packed | null;
  depth: number;
  attempt: number;
  maxAttempts: number;
  attemptsBefore: number;
  isResuming: 0 | 1;
  payload: string | null;
  input: string | null;
  createdAt: number;
  version: number;
}

function prepareTakeRun(
  { connection, names, changed }: SqliteDatabase,
  addEntry: AddEntry,
): (seq: number, p: ClaimRequest & { workerId: string }) => ClaimedRun | null {
  const take = connection.prepare<unknown[], TakenRow>(takeSql);
  const nameOf = (id: number | null) => (id === null ? null : names.textOf(id));
  return (seq, p) => {
    const { now, version } = p;
    const builds = buildsOf(p);
    const token = randomUUID();
    const leaseUntil = now + p.leaseMs;
    const row = take.get({
      seq,
      token: packedUuid.pack(token),
      workerId: workerId.pack(p.workerId),
      now,
      leaseUntil,
      version: version === undefined ? null : (names.find(version) ?? 0),
    });
    if (row === undefined) return null;
    changed("runs");
    const { attempt } = row;
    const isResumed = row.isResuming === 1;
    const target = names.textOf(row.target);
    const { build, note } = claimedBuild({ version: names.textOf(row.version), target }, builds);
    // The first start by the build that accepted the run is implied.
    if (isResumed || attempt > 1 || build)
      addEntry(seq, { at: now, kind: isResumed ? "resumed" : "attempt_started", attempt, ...note });
    return {
      id: runId.unpack(row.id),
      workerId: p.workerId,
      token,
      leaseUntil,
      status: "running",
      trigger: nameOf(row.trigger),
      attachmentId: nameOf(row.attachment),
      target: readTarget(target),
      deliveryId: row.delivery === null ? null : deliveryId.unpack(row.delivery),
      failureOf: row.failureOf === null ? null : runId.unpack(row.failureOf),
      key: row.key,
      childOf: row.childOf === null ? null : runId.unpack(row.childOf),
      depth: row.depth,
      attempt,
      maxAttempts: row.maxAttempts,
      attemptsBefore: row.attemptsBefore,
      isResumed,
      createdAt: row.createdAt,
      ...(build && { build }),
      payloadText: row.payload,
      inputText: row.input,
    };
  };
}
