import {
  fillBucket,
  type RateBucket,
  takeFromAll,
  type RateCheck,
  type RateResult,
} from "../../domain/requests/rate-limit.ts";
import type { PostgresDatabase } from "./database.ts";
import type { Session } from "./session.ts";

const mostTogether = 256;
/** The longest window: what was not asked for so long is whole again, which needs no row. */
const longestWindowMs = 3_600_000;
const cleanEveryMs = 600_000;

/**
 * Rates of all machines, a row for whom each counts. Requests that come together share a transaction, which waits for
 * no disk.
 */
export function createTakeRates({
  togetherAside,
  writeSoon,
}: PostgresDatabase): (asked: readonly RateCheck[]) => Promise<RateResult> {
  const take = togetherAside({ maxBatch: mostTogether, write: takeTogether });
  let cleanedAt = performance.now();

  function cleanNowAndThen(): void {
    if (performance.now() - cleanedAt < cleanEveryMs) return;
    cleanedAt = performance.now();
    // Nobody waits for it, and it comes again.
    writeSoon(removeWhole).catch(() => {});
  }

  return (asked) => {
    cleanNowAndThen();
    return take(asked);
  };
}

function removeWhole(session: Session): Promise<number> {
  return session.change(
    "DELETE FROM rate_bucket WHERE filled_at < extract(epoch FROM clock_timestamp()) * 1000 - $1::bigint",
    [longestWindowMs],
  );
}

const lockSql =
  "SELECT pg_advisory_xact_lock(hashtextextended('signalbox rate ' || name, 0)) FROM unnest($1::text[]) AS name";

const readSql = `
  SELECT t.name, tokens, filled_at AS "filledAt", floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
  FROM unnest($1::text[]) AS t (name) LEFT JOIN rate_bucket ON rate_bucket.name = t.name`;

const saveSql = `
  INSERT INTO rate_bucket (name, tokens, filled_at) SELECT * FROM unnest($1::text[], $2::double precision[], $3::bigint[])
  ON CONFLICT (name) DO UPDATE SET tokens = excluded.tokens, filled_at = excluded.filled_at`;

async function takeTogether(session: Session, jobs: readonly (readonly RateCheck[])[]): Promise<RateResult[]> {
  // In one order for all processes. The number that a name is locked by may be another's as well: that costs time, and nothing else.
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
