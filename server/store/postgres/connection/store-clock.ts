import type { Pool } from "pg";
import type { Logger } from "../../../ports/logger.ts";

const everyMs = 30_000;
/** The usual difference between machines that NTP synchronizes, including the way to the database. */
const usualMs = 500;
/** A larger difference is logged. */
const loggedMs = 2_000;

/**
 * Reports regularly by how many milliseconds the clock of the database is ahead of this machine's. Each machine
 * compares leases, due times and expiry with its own time: with different clocks, machines would take each other's
 * runs. A usual difference is reported as 0. Rejects if the first query fails.
 */
export async function followClock(p: {
  pool: Pool;
  onAhead: (aheadMs: number) => void;
  logger: Logger;
  now?: () => number;
}): Promise<() => void> {
  const now = p.now ?? Date.now;
  let last = 0;

  async function ask(): Promise<void> {
    const aheadMs = await askDifference(p.pool, now);
    const reported = Math.abs(aheadMs) < usualMs ? 0 : aheadMs;
    if (Math.abs(reported - last) > loggedMs)
      p.logger.warn("clock differs from the clock of the database, which is used; synchronize it, e.g. with NTP", {
        aheadMs: -reported,
      });
    last = reported;
    p.onAhead(reported);
  }

  await ask();
  const timer = setInterval(() => void ask().catch(() => {}), everyMs).unref();
  return () => clearInterval(timer);
}

/** Assumes that the database answered in the middle of the round trip. */
export async function askDifference(pool: Pool, now: () => number): Promise<number> {
  const before = now();
  const { rows } = await pool.query<{ at: string }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at");
  const after = now();
  return Math.round(Number(rows[0]?.at) - (before + after) / 2);
}
