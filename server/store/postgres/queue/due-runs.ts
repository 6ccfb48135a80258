import { type DueRuns, type Pool, pools } from "../../../domain/runs/blocked-work.ts";
import { notDueAt } from "../../../domain/runs/key-slots.ts";
import type { EngineStore, QueueDepth } from "../../../ports/store/engine-store.ts";
import type { Session } from "../connection/session.ts";
import { isOpenSql, limitedTargetSql } from "../schema.ts";
import { countRoom } from "./claim-runs.ts";
import { partsSql, firstOfQueueSql, type Queue, withQueuesSql } from "./queues.ts";

const dueOf = (part: string) => `
  SELECT count(*)::int AS runs, min(available_at) AS since FROM (
    SELECT available_at ${firstOfQueueSql({ version: "queue.version", target: "queue.target", part, limit: "$3" })}
  ) first_runs`;

/** Reads at most `$3` entries of the index for each queue and part. */
const dueRunsSql = `
  ${withQueuesSql}
  SELECT queue.version, nullif(queue.target, '') AS "limitedTarget", queued.runs AS queued, woken.runs AS woken, queued.since AS "queuedSince", woken.since AS "wokenSince"
  FROM queue CROSS JOIN LATERAL (${dueOf(partsSql.queued)}) queued CROSS JOIN LATERAL (${dueOf(partsSql.woken("$2"))}) woken
  WHERE queued.runs + woken.runs > 0
  ORDER BY queue.version, queue.target`;

interface DueRow extends Queue {
  pool: Pool;
  queued: number;
  woken: number;
  queuedSince: number | null;
  wokenSince: number | null;
}

/** Without the runs of limited targets that have no room. */
export async function listDueRuns(session: Session, p: Parameters<EngineStore["listDueRuns"]>[0]): Promise<DueRuns[]> {
  const due: DueRow[] = [];
  for (const pool of pools.filter((one) => p.pools.includes(one))) {
    const rows = await session.rows<Omit<DueRow, "pool">>(dueRunsSql, [pool === "isolated", p.now, p.limit]);
    due.push(...rows.map((row) => ({ ...row, pool })));
  }
  const limited = due.flatMap(({ limitedTarget }) => limitedTarget ?? []);
  const rooms = await countRoom(session, p, [...new Set(limited)]);
  return due.flatMap(({ pool, version, limitedTarget, ...row }) => {
    const room = limitedTarget === null ? undefined : rooms.get(limitedTarget);
    const queued = Math.max(0, Math.min(row.queued, room?.queued ?? p.limit));
    const woken = Math.max(0, Math.min(row.woken, room?.woken ?? p.limit));
    const runs = room && !room.holds ? Math.min(queued + woken, Math.max(0, room.queued)) : queued + woken;
    const since = [...(queued > 0 ? [row.queuedSince] : []), ...(woken > 0 ? [row.wokenSince] : [])];
    return runs === 0 ? [] : [{ pool, version, runs, oldestAt: Math.min(p.now, ...since.map((at) => at ?? p.now)) }];
  });
}

const nextSql = `
  ${withQueuesSql}
  SELECT min(next.available_at) AS at FROM queue CROSS JOIN LATERAL (
    SELECT available_at ${firstOfQueueSql({ version: "queue.version", target: "queue.target", part: partsSql.later("$2"), limit: "1" })}
  ) next`;

/** One step into the index for each queue, however many runs wait. */
export async function nextAvailableAt(session: Session, pool: Pool, after: number): Promise<number | null> {
  const [next] = await session.rows<{ at: number | null }>(nextSql, [pool === "isolated", after]);
  return next?.at ?? null;
}

const depthsSql = `
  SELECT version, CASE WHEN is_isolated THEN 'isolated' ELSE 'shared' END AS pool, nullif(${limitedTargetSql}, '') AS target,
    count(*) FILTER (WHERE status = 'queued' AND available_at < ${notDueAt})::int AS runs, bool_or(status = 'running') AS "isActive",
    greatest(0, coalesce(extract(epoch FROM clock_timestamp()) - min(available_at) FILTER (WHERE status = 'queued' AND available_at < ${notDueAt}) / 1000.0, 0))::float8 AS "oldestSeconds"
  FROM signalbox.run WHERE ${isOpenSql} GROUP BY 1, 2, 3 ORDER BY 1, 2 DESC, 3 NULLS FIRST`;

/** The queued runs of each queue with open runs. Those that wait for their time or for their key are not among them. */
export function listQueueDepths(session: Session): Promise<(QueueDepth & { isActive: boolean })[]> {
  return session.rows(depthsSql);
}
