import type { Session } from "./session.ts";

const longWaitsSql = `
  SELECT id, available_at AS "availableAt" FROM run
  WHERE status = 'waiting' AND available_at > $1 AND (
    EXISTS (SELECT 1 FROM run_step WHERE run_id = run.id AND kind = 'sleep' AND finished_at IS NULL AND started_at > $1)
    OR EXISTS (SELECT 1 FROM run_event WHERE run_id = run.id AND kind = 'retry_scheduled' AND at > $1)
  )`;

interface LongWait {
  id: string;
  availableAt: number;
}

/**
 * A wait that began later than now shows that the clock was set back since: it would last longer than was asked for, by
 * as much. From now on it lasts as long as it was to last in all, at most. (Nobody knows how much of it was over.)
 */
export async function hasLongWaits(session: Session, now: number): Promise<boolean> {
  return (await session.rows<LongWait>(`${longWaitsSql} LIMIT 1`, [now])).length > 0;
}

/** Returns how many. */
export async function shortenWaits(session: Session, now: number): Promise<number> {
  let shortened = 0;
  for (const { id, availableAt } of await session.rows<LongWait>(
    `${longWaitsSql} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
    [now],
  )) {
    const at = (await moveSleeps(session, id, now)) ?? (await endOfRetry(session, id, now));
    if (at !== null && at < availableAt)
      shortened += await session.change("UPDATE run SET available_at = $2 WHERE id = $1 AND status = 'waiting'", [
        id,
        at,
      ]);
  }
  return shortened;
}

/** When the first of its sleeps is over then; `null` where it does not sleep. */
async function moveSleeps(session: Session, id: string, now: number): Promise<number | null> {
  const rows = await session.rows<{ end: number }>(
    `UPDATE run_step SET started_at = least(started_at, $2), until = until - greatest(started_at - $2, 0)
     WHERE run_id = $1 AND kind = 'sleep' AND finished_at IS NULL AND until IS NOT NULL RETURNING until AS "end"`,
    [id, now],
  );
  return rows.length > 0 ? Math.min(...rows.map(({ end }) => end)) : null;
}

async function endOfRetry(session: Session, id: string, now: number): Promise<number | null> {
  const [retry] = await session.rows<{ at: number; until: number | null }>(
    "SELECT at, until FROM run_event WHERE run_id = $1 AND kind = 'retry_scheduled' ORDER BY id DESC LIMIT 1",
    [id],
  );
  return retry && retry.until !== null && retry.at > now ? now + retry.until - retry.at : null;
}
