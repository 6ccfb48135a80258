import { z } from "zod";
import type { SqliteDatabase } from "./database.ts";

const waitRow = z.object({ id: z.string(), availableAt: z.number() });
const sleepRow = z.object({ name: z.string(), startedAt: z.number(), until: z.number() });
const retryRow = z.object({ at: z.number(), until: z.number().nullable() }).optional();

interface ShortenWaits {
  hasLong(now: number): boolean;
  /** Returns how many. */
  shorten(now: number): number;
  /** What was shortened is on disk: until the clock goes back again there is nothing to look for. */
  done(now: number): void;
}

/**
 * A wait that began later than now shows that the clock was set back since: it would last longer than was asked for, by
 * as much. From now on it lasts as long as it was to last in all, at most. (Nobody knows how much of it was over.)
 * Looked for only where the clock went back since the last time, and the first time: it was set back before this
 * process began, perhaps.
 */
export function prepareShortenWaits({ connection }: SqliteDatabase): ShortenWaits {
  const selectLong = connection.prepare(`
    SELECT id, available_at AS availableAt FROM run
    WHERE status = 'waiting' AND available_at > :now AND (
      EXISTS (SELECT 1 FROM run_step WHERE run_id = run.id AND kind = 'sleep' AND finished_at IS NULL AND started_at > :now)
      OR EXISTS (SELECT 1 FROM run_event WHERE run_id = run.id AND kind = 'retry_scheduled' AND at > :now)
    )`);
  const selectSleeps = connection.prepare(
    "SELECT name, started_at AS startedAt, until FROM run_step WHERE run_id = :id AND kind = 'sleep' AND finished_at IS NULL AND until IS NOT NULL",
  );
  const selectRetry = connection.prepare(
    "SELECT at, until FROM run_event WHERE run_id = :id AND kind = 'retry_scheduled' ORDER BY id DESC LIMIT 1",
  );
  const moveSleep = connection.prepare(
    "UPDATE run_step SET started_at = started_at - :ms, until = until - :ms WHERE run_id = :id AND name = :name",
  );
  const moveRun = connection.prepare("UPDATE run SET available_at = :at WHERE id = :id AND status = 'waiting'");
  let lookedAt = Number.POSITIVE_INFINITY;

  /** When the first of its sleeps is over then; `null` where it does not sleep. */
  function moveSleeps(id: string, now: number): number | null {
    const ends = z
      .array(sleepRow)
      .parse(selectSleeps.all({ id }))
      .map(({ name, startedAt, until }) => {
        const ms = Math.max(0, startedAt - now);
        if (ms > 0) moveSleep.run({ id, name, ms });
        return until - ms;
      });
    return ends.length > 0 ? Math.min(...ends) : null;
  }

  function endOfRetry(id: string, now: number): number | null {
    const retry = retryRow.parse(selectRetry.get({ id }));
    return retry && retry.until !== null && retry.at > now ? now + retry.until - retry.at : null;
  }

  return {
    hasLong(now) {
      const mayHave = now < lookedAt && selectLong.get({ now }) !== undefined;
      if (!mayHave) lookedAt = now;
      return mayHave;
    },
    shorten(now) {
      let shortened = 0;
      for (const { id, availableAt } of z.array(waitRow).parse(selectLong.all({ now }))) {
        const at = moveSleeps(id, now) ?? endOfRetry(id, now);
        if (at !== null && at < availableAt) shortened += moveRun.run({ id, at }).changes;
      }
      return shortened;
    },
    done: (now) => void (lookedAt = now),
  };
}
