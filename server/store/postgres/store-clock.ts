import type { Pool } from "pg";
import type { Logger } from "../../ports/logger.ts";

const everyMs = 30_000;
/** What machines that are kept by NTP differ by, and the way to the database. */
const usualMs = 500;
/** A person should look at it. */
const worthAWordMs = 2_000;

/**
 * Tells by how many milliseconds the clock of the database is ahead of this machine's, now and again: leases, due times
 * and expiry are compared by whoever asks, and machines whose clocks differ would take each other's runs. What is usual
 * is told as 0. Rejects where it cannot be asked the first time.
 */
export async function followClock(p: {
  pool: Pool;
  tell: (aheadMs: number) => void;
  logger: Logger;
  now?: () => number;
}): Promise<() => void> {
  const now = p.now ?? Date.now;
  let last = 0;

  async function ask(): Promise<void> {
    const aheadMs = await askDifference(p.pool, now);
    const told = Math.abs(aheadMs) < usualMs ? 0 : aheadMs;
    if (Math.abs(told - last) > worthAWordMs)
      p.logger.warn("clock differs from the clock of the database, which is used; synchronize it, e.g. with NTP", {
        aheadMs: -told,
      });
    last = told;
    p.tell(told);
  }

  await ask();
  const timer = setInterval(() => void ask().catch(() => {}), everyMs).unref();
  return () => clearInterval(timer);
}

/** The answer is of the middle of the way there and back. */
export async function askDifference(pool: Pool, now: () => number): Promise<number> {
  const before = now();
  const { rows } = await pool.query<{ at: string }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at");
  const after = now();
  return Math.round(Number(rows[0]?.at) - (before + after) / 2);
}
