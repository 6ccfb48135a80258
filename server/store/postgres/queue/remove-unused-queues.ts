import type { Session } from "../connection/session.ts";
import { parseQueueName, schemaName } from "./queue-names.ts";

const emptySql = `
  SELECT name FROM ${schemaName}.queue q
  WHERE created_on < to_timestamp($1::bigint / 1000.0) AND NOT EXISTS (SELECT 1 FROM ${schemaName}.job j WHERE j.name = q.name)
  ORDER BY name`;

/**
 * Removes the empty queues of versions without workers, if they were created before that time. A job that is added
 * meanwhile cannot be committed: its transaction is tried again, and creates the queue again.
 */
export async function removeUnusedQueues(session: Session, before: number): Promise<number> {
  const empty = await session.rows<{ name: string }>(emptySql, [before]);
  if (empty.length === 0) return 0;
  const live = new Set(
    (await session.rows<{ version: string }>("SELECT DISTINCT version FROM signalbox.worker")).map(
      ({ version }) => version,
    ),
  );
  let removed = 0;
  for (const { name } of empty) {
    if (live.has(parseQueueName(name).version)) continue;
    // A transaction that adds a job to the queue waits for this lock, or the next statement sees its job.
    const locked = await session.rows(`SELECT name FROM ${schemaName}.queue WHERE name = $1 FOR UPDATE`, [name]);
    const jobs = await session.rows(`SELECT 1 FROM ${schemaName}.job WHERE name = $1 LIMIT 1`, [name]);
    if (locked.length === 0 || jobs.length > 0) continue;
    await session.rows(`SELECT ${schemaName}.delete_queue($1)`, [name]);
    removed += 1;
  }
  return removed;
}
