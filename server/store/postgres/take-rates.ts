import {
  fillBucket,
  type RateBucket,
  takeFromAll,
  type RateCheck,
  type RateResult,
} from "../../domain/requests/rate-limit.ts";
import type { PostgresDatabase } from "./database.ts";
import type { Session } from "./connection/session.ts";
import { looksUp } from "./statements/look-up.ts";

const maxBatch = 256;
/** The longest window. A bucket that was not used for this long is full again, and needs no row. */
const maxWindowMs = 3_600_000;
const cleanEveryMs = 600_000;

/**
 * The rates of all machines, with one row for each name that is counted. Concurrent requests share a transaction, which
 * does not wait for the disk.
 */
export function createTakeRates({
  createIndependentBatcher,
  writeRelaxed,
}: PostgresDatabase): (asked: readonly RateCheck[]) => Promise<RateResult> {
  const take = createIndependentBatcher({ maxBatch, write: takeTogether });
  let cleanedAt = performance.now();

  function cleanIfDue(): void {
    if (performance.now() - cleanedAt < cleanEveryMs) return;
    cleanedAt = performance.now();
    // It runs again later, so a failure has no effect.
    writeRelaxed(removeWhole).catch(() => {});
  }

  return (asked) => {
    cleanIfDue();
    return take(asked);
  };
}

function removeWhole(session: Session): Promise<number> {
  return session.change(
    "DELETE FROM signalbox.rate_bucket WHERE filled_at < extract(epoch FROM clock_timestamp()) * 1000 - $1::bigint",
    [maxWindowMs],
  );
}

const lockSql =
  "SELECT pg_advisory_xact_lock(hashtextextended('signalbox rate ' || name, 0)) FROM unnest($1::text[]) AS name";

const readSql = `
  SELECT t.name, tokens, filled_at AS "filledAt", floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
  FROM unnest($1::text[]) AS t (name) LEFT JOIN signalbox.rate_bucket ON ${looksUp("rate_bucket.name", "t.name")}`;

const saveSql = `
  INSERT INTO signalbox.rate_bucket (name, tokens, filled_at) SELECT * FROM unnest($1::text[], $2::double precision[], $3::bigint[])
  ON CONFLICT (name) DO UPDATE SET tokens = excluded.tokens, filled_at = excluded.filled_at`;

async function takeTogether(session: Session, jobs: readonly (readonly RateCheck[])[]): Promise<RateResult[]> {
  // In one order for all processes. Two names can have the same lock, which only costs time.
  const names = [...new Set(jobs.flat().map(({ name }) => name))].toSorted();
  await session.rows(lockSql, [names]);
  const rows = await session.rows<{ name: string; tokens: number | null; filledAt: number | null; now: number }>(
    readSql,
    [names],
  );
  const buckets = new Map<string, RateBucket | null>(
    rows.map(({ name, tokens, filledAt }) => [
      name,
      tokens === null || filledAt === null ? null : { tokens, filledAt },
    ]),
  );
  const now = rows[0]?.now ?? 0;
  const answers = jobs.map((asked) => {
    const {
      isOver,
      buckets: left,
      allowances,
    } = takeFromAll(
      asked.map(({ name, rule }) => ({ rule, bucket: fillBucket(buckets.get(name) ?? null, rule, now) })),
    );
    for (const [at, { name }] of asked.entries()) buckets.set(name, left[at] ?? null);
    return { isOver, allowances };
  });
  const kept = [...buckets].flatMap(([name, bucket]) => (bucket ? [{ name, ...bucket }] : []));
  await session.change(saveSql, [
    kept.map(({ name }) => name),
    kept.map(({ tokens }) => tokens),
    kept.map(({ filledAt }) => filledAt),
  ]);
  return answers;
}
