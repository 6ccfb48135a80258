import { randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { targetKindSchema } from "../../contract/project/target.ts";
import type { ClaimedRun, ClaimRequest } from "../../ports/store/engine-store.ts";
import { versionNote } from "../shared/version-note.ts";
import { type SqliteDatabase, given } from "./database.ts";
import { prepareStatement } from "./prepare-statement.ts";
import { run } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

/**
 * Claims in two steps: which runs are due, and taking them. The first is a read that needs no lock, so a worker that is
 * woken for nothing disturbs nobody; under the write lock it is made again.
 */
export function prepareClaimRuns(
  database: SqliteDatabase,
  addEntry: AddEntry,
): { hasDue(p: ClaimRequest): boolean; claim(p: ClaimRequest): ClaimedRun[] } {
  const selectDue = prepareSelectDue(database);
  const takeRun = prepareTakeRun(database, addEntry);
  return {
    hasDue: (p) => selectDue(p).length > 0,
    claim: (p) => {
      const claimed: ClaimedRun[] = [];
      for (const id of selectDue(p)) {
        const workerId = p.slots[claimed.length];
        const run = workerId === undefined ? null : takeRun(id, { ...p, workerId });
        if (run) claimed.push(run);
      }
      return claimed;
    },
  };
}

/**
 * Every target that has open runs in the pool, by a loose scan: one jump into `run_open` for each target, however many
 * runs wait. SQLite takes a partial index only where the query repeats its WHERE word for word, hence the term that
 * looks redundant. Parameters stand in `(SELECT …)`: next to a partial index, or as a LIMIT, SQLite would plan the
 * statement anew with each value, which takes ten times as long as the look.
 */
export const openTargetsSql = `
  WITH RECURSIVE open_target (target) AS (
    SELECT min(target) FROM run INDEXED BY run_open
    WHERE status IN ('queued', 'waiting') AND is_isolated = (SELECT :isolated)
    UNION ALL
    SELECT (
      SELECT min(target) FROM run INDEXED BY run_open
      WHERE status IN ('queued', 'waiting') AND is_isolated = (SELECT :isolated) AND target > open_target.target
    ) FROM open_target WHERE open_target.target IS NOT NULL
  )
  SELECT target FROM open_target WHERE target IS NOT NULL`;

/** The oldest due runs of one target. A queued run is due whatever its time, so that a clock set back holds up nothing. */
export const dueRunsSql = {
  queued: `
    SELECT available_at, id FROM run INDEXED BY run_open
    WHERE status IN ('queued', 'waiting') AND is_isolated = (SELECT :isolated) AND target = (SELECT :target) AND status = 'queued'
    ORDER BY available_at, id LIMIT (SELECT :limit)`,
  waiting: `
    SELECT available_at, id FROM run INDEXED BY run_open
    WHERE status IN ('queued', 'waiting') AND is_isolated = (SELECT :isolated) AND target = (SELECT :target) AND status = 'waiting' AND available_at <= (SELECT :now)
    ORDER BY available_at, id LIMIT (SELECT :limit)`,
};

export const runningOfTargetSql =
  "SELECT count(*) FROM run INDEXED BY run_running_by_target WHERE status = 'running' AND target = :target";

const dueRow = z.tuple([z.number(), z.string()]);

function prepareSelectDue({ connection }: SqliteDatabase): (p: ClaimRequest) => string[] {
  const openTargets = connection.prepare(openTargetsSql).pluck();
  const dueQueued = connection.prepare(dueRunsSql.queued).raw();
  const dueWaiting = connection.prepare(dueRunsSql.waiting).raw();
  const runningOfTarget = connection.prepare(runningOfTargetSql).pluck();

  return ({ pool, concurrency, slots, now }) => {
    const limit = slots.length;
    const isolated = pool === "isolated" ? 1 : 0;
    const due = z
      .array(z.string())
      .parse(openTargets.all({ isolated }))
      .flatMap((target) => {
        const bound = concurrency.get(target);
        const free =
          bound === undefined ? limit : Math.min(limit, bound - z.number().parse(runningOfTarget.get({ target })));
        if (free <= 0) return [];
        const rows = [
          ...dueQueued.all({ isolated, target, limit: free }),
          ...dueWaiting.all({ isolated, target, limit: free, now }),
        ];
        return oldestFirst(rows.map((row) => dueRow.parse(row))).slice(0, free);
      });
    return oldestFirst(due)
      .slice(0, limit)
      .map(([, id]) => id);
  };
}

function oldestFirst(rows: [availableAt: number, id: string][]): [availableAt: number, id: string][] {
  return rows.sort(([atA, idA], [atB, idB]) => atA - atB || (idA < idB ? -1 : 1));
}

function prepareTakeRun(
  { db, connection }: SqliteDatabase,
  addEntry: AddEntry,
): (id: string, p: ClaimRequest & { workerId: string }) => ClaimedRun | null {
  const query = db
    .update(run)
    .set({
      status: "running",
      // The flag stays while the run is held; whoever gives the run back sets it anew.
      attempt: sql`${run.attempt} + 1 - ${run.isResuming}`,
      token: given("token"),
      progressSeq: 0,
      workerId: given("workerId"),
      leaseUntil: given("leaseUntil"),
      startedAt: sql`coalesce(${run.startedAt}, ${sql.placeholder("now")})`,
    })
    .where(and(eq(run.id, sql.placeholder("id")), sql`${run.status} IN ('queued', 'waiting')`))
    .returning({
      trigger: run.trigger,
      attachmentId: run.attachmentId,
      kind: run.targetKind,
      slug: run.targetSlug,
      deliveryId: run.deliveryId,
      attempt: run.attempt,
      maxAttempts: run.maxAttempts,
      isResumed: run.isResuming,
      payload: run.payload,
      input: run.input,
      createdAt: run.createdAt,
      version: run.version,
    });
  const take = prepareStatement(connection, query);
  return (id, { workerId, now, leaseMs, version }) => {
    const token = randomUUID();
    const leaseUntil = now + leaseMs;
    const row = take.get({ id, token, workerId, now, leaseUntil });
    if (row === undefined) return null;
    const [
      trigger,
      attachmentId,
      kind,
      slug,
      deliveryId,
      attempt,
      maxAttempts,
      isResumed,
      payload,
      input,
      createdAt,
      acceptedBy,
    ] = takenRow.parse(row);
    addEntry(id, {
      at: now,
      kind: isResumed === 1 ? "resumed" : "attempt_started",
      attempt,
      ...versionNote({ acceptedBy, executedBy: version }),
    });
    const target = { kind, slug };
    return {
      id,
      workerId,
      token,
      leaseUntil,
      status: "running",
      trigger,
      attachmentId,
      target,
      deliveryId,
      attempt,
      maxAttempts,
      isResumed: isResumed === 1,
      createdAt,
      payloadText: payload,
      inputText: input,
    };
  };
}

const text = z.string().nullable();
const takenRow = z.tuple([
  text,
  text,
  targetKindSchema,
  z.string(),
  text,
  z.number(),
  z.number(),
  z.number(),
  text,
  text,
  z.number(),
  z.string(),
]);
