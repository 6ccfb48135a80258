import type { DueRuns } from "../../../domain/runs/blocked-work.ts";
import type { EngineStore } from "../../../ports/store/engine-store.ts";
import type { Session } from "../connection/session.ts";
import { countFree } from "./claim-runs.ts";
import { parseQueueName, schemaName } from "./queue-names.ts";
import { maxQueuedPriority, wokenPriority } from "./run-jobs.ts";

const dueOf = (columns: string, range: string) => `
  SELECT count(*)::int AS runs, min(since) AS since FROM (
    SELECT ${columns} AS since FROM ${schemaName}.job j
    WHERE j.name = q.name AND j.state < 'active' AND NOT j.blocked AND ${range}
    ORDER BY j.priority DESC, j.created_on LIMIT $2
  ) first_jobs`;

/** Reads at most `$2` entries of an index for each queue and range; see `dueQueuesSql`. */
const dueRunsSql = `
  SELECT q.name, queued.runs + woken.runs AS runs, (extract(epoch FROM least(queued.since, woken.since)) * 1000)::float8 AS "oldestAt"
  FROM ${schemaName}.queue q
  CROSS JOIN LATERAL (${dueOf("j.created_on", `j.priority <= ${maxQueuedPriority}`)}) queued
  CROSS JOIN LATERAL (${dueOf("j.start_after", `j.priority >= $1 AND j.start_after <= ${schemaName}.job_now()`)}) woken
  WHERE queued.runs + woken.runs > 0
  ORDER BY q.name`;

interface DueRow {
  name: string;
  runs: number;
  oldestAt: number;
}

/** Without the runs of limited targets that have no room. */
export async function listDueRuns(session: Session, p: Parameters<EngineStore["listDueRuns"]>[0]): Promise<DueRuns[]> {
  const rows = await session.rows<DueRow>(dueRunsSql, [wokenPriority(p.now), p.limit]);
  const due = rows
    .map(({ name, runs, oldestAt }) => ({ ...parseQueueName(name), runs, oldestAt: Math.round(oldestAt) }))
    .filter(({ pool }) => p.pools.includes(pool));
  const limited = due.flatMap(({ limitedTarget: target }) =>
    target !== null && p.concurrency.has(target) ? target : [],
  );
  const free = await countFree(session, p, [...new Set(limited)]);
  return due.flatMap(({ pool, version, limitedTarget, runs, oldestAt }) => {
    const room = limitedTarget === null ? undefined : free.get(limitedTarget);
    const count = Math.min(runs, room ?? p.limit);
    return count <= 0 ? [] : [{ pool, version, runs: count, oldestAt: Math.min(oldestAt, p.now) }];
  });
}
