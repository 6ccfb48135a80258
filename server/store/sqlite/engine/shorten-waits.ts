import { runStatusCodes, stepKindCodes, timelineKindCodes } from "../../../domain/stored-codes.ts";
import type { SqliteDatabase } from "../database.ts";
import { isDueSql } from "./claim-runs.ts";

interface ShortenWaits {
  hasLong(now: number): boolean;
  /** Returns the number of shortened waits. */
  shorten(now: number): number;
  /** Called after the shortened waits are on disk. The next search happens only after the clock is set back again. */
  done(now: number): void;
}

const isWaiting = `status = ${runStatusCodes.waiting}`;
/** A sleep, or a step that waits for its next try. */
const isOpenSleep = `kind IN (${stepKindCodes.sleep}, ${stepKindCodes.step}) AND finished_at IS NULL AND until IS NOT NULL`;
const isRetry = `kind = ${timelineKindCodes.retry_scheduled}`;

/**
 * A wait that started in the future shows that the clock was set back since. The wait would be too long by that
 * difference. It is shortened so that it lasts at most its full duration from now; the elapsed part is unknown.
 * Searches only on the first call and after the clock was set back, because it may have been set back before this
 * process started.
 */
export function prepareShortenWaits({ connection, changed }: SqliteDatabase): ShortenWaits {
  const selectLong = connection.prepare<unknown[], { seq: number; availableAt: number; isResuming: 0 | 1 }>(`
    SELECT seq, available_at AS availableAt, is_resuming AS isResuming FROM run
    WHERE ${isWaiting} AND available_at > :now AND ${isDueSql} AND (
      EXISTS (SELECT 1 FROM run_step WHERE run = run.seq AND ${isOpenSleep} AND started_at > :now)
      OR EXISTS (SELECT 1 FROM run_event WHERE run = run.seq AND ${isRetry} AND at > :now)
    )`);
  const selectSleeps = connection.prepare<unknown[], { position: number; startedAt: number; until: number }>(
    `SELECT position, started_at AS startedAt, until FROM run_step WHERE run = ? AND ${isOpenSleep}`,
  );
  const selectRetry = connection.prepare<unknown[], { at: number; until: number | null }>(
    `SELECT at, until FROM run_event WHERE run = ? AND ${isRetry} ORDER BY position DESC LIMIT 1`,
  );
  const moveSleep = connection.prepare(
    "UPDATE run_step SET started_at = started_at - @ms, until = until - @ms WHERE position = @position",
  );
  const moveRun = connection.prepare(`UPDATE run SET available_at = ? WHERE seq = ? AND ${isWaiting}`);
  let searchedAt = Number.POSITIVE_INFINITY;

  /** The end of the first of its sleeps; `null` if it does not sleep. */
  function moveSleeps(seq: number, now: number): number | null {
    const ends = selectSleeps.all(seq).map(({ position, startedAt, until }) => {
      const ms = Math.max(0, startedAt - now);
      if (ms > 0) moveSleep.run({ position, ms });
      return until - ms;
    });
    return ends.length > 0 ? Math.min(...ends) : null;
  }

  function endOfRetry(seq: number, now: number): number | null {
    const retry = selectRetry.get(seq);
    return retry && retry.until !== null && retry.at > now ? now + retry.until - retry.at : null;
  }

  return {
    hasLong(now) {
      const mayHave = now < searchedAt && selectLong.get({ now }) !== undefined;
      if (!mayHave) searchedAt = now;
      return mayHave;
    },
    shorten(now) {
      let shortened = 0;
      for (const { seq, availableAt, isResuming } of selectLong.all({ now })) {
        // A run that waits for its next attempt may have sleeps of the last one.
        const at = isResuming ? moveSleeps(seq, now) : endOfRetry(seq, now);
        if (at !== null && at < availableAt) shortened += moveRun.run(at, seq).changes;
      }
      if (shortened > 0) changed("runs");
      return shortened;
    },
    done: (now) => void (searchedAt = now),
  };
}
