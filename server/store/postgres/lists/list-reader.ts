import { listBudget } from "../../../domain/list-budget.ts";
import { and, type Column, type SQL, sql } from "drizzle-orm";
import type { CountedStretch } from "../../shared/lists/count-list.ts";
import type { Position } from "../../shared/lists/cursor.ts";
import { between, type Listing, type ListReader, type Reach, type Stretch } from "../../shared/lists/read-list.ts";
import type { Session } from "../connection/session.ts";

/** Postgres chooses the index by itself. The conditions are those that the chosen index can answer. */
export function createListReader({ db }: Session): ListReader {
  return {
    // Each look takes two round trips, so a few must be enough.
    firstScan: { fast: 2_000, slow: 400 },
    maxScan: { fast: 100_000, slow: 100_000 },
    maxScanMs: listBudget.pageMs,
    async findEnd(listing, reach) {
      const [row] = await db.execute<{ at: number; id: string }>(endQuery(listing, reach));
      return row ?? null;
    },
    findIds: async (listing, stretch) => ({
      ids: (await db.execute<{ id: string }>(stretchQuery(listing, stretch))).map(({ id }) => id),
      stoppedAt: null,
    }),
  };
}

/** The rows of a stretch by bucket and status. */
export function countQuery<Row, Shape>(
  listing: Listing<Row, Shape>,
  { after, downTo }: CountedStretch,
  p: { status: Column; bucketMs: number },
): SQL {
  const { table, at, terms } = listing;
  const where = and(...terms.map(({ condition }) => condition), ...between(listing, after, downTo)) ?? sql`TRUE`;
  return sql`SELECT ${at} - ${at} % ${sql.raw(String(p.bucketMs))} AS at, ${p.status} AS status, count(*) AS count FROM signalbox.${sql.identifier(table)} WHERE ${where} GROUP BY 1, 2`;
}

function endQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, candidates }: Reach): SQL<Position> {
  const { table, at, id } = listing;
  const where = and(driver.term?.condition, ...between(listing, after, null)) ?? sql`TRUE`;
  return sql`SELECT ${at} AS at, ${id} AS id FROM signalbox.${sql.identifier(table)} WHERE ${where} ORDER BY ${at} DESC, ${id} DESC LIMIT 1 OFFSET ${candidates - 1}`;
}

function stretchQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, downTo, limit }: Stretch): SQL {
  const { table, at, id, terms } = listing;
  const isFast = (term: Listing<Row, Shape>["terms"][number]) => term === driver.term || !term.isSlow;
  const fast =
    and(...terms.filter(isFast).map((term) => term.condition), ...between(listing, after, downTo)) ?? sql`TRUE`;
  const slow = and(...terms.filter((term) => !isFast(term)).map((term) => term.condition));
  return sql`SELECT ${id} AS id FROM signalbox.${sql.identifier(table)} WHERE ${slow ? sql`${fast} AND ${slow}` : fast} ORDER BY ${at} DESC, ${id} DESC LIMIT ${limit}`;
}
