import { and, type SQL, sql } from "drizzle-orm";
import type { Position } from "../shared/cursor.ts";
import { between, type Driver, type Listing, type ListReader, type Reach, type Stretch } from "../shared/read-list.ts";
import type { SqliteDatabase } from "./database.ts";

/** SQLite is told the index: it would not find out by itself which one is best. */
export function createListReader({ db }: SqliteDatabase): ListReader {
  return {
    firstLook: { fast: 400, slow: 24 },
    findEnd: (listing, reach) => db.get<Position | undefined>(endQuery(listing, reach)) ?? null,
    findIds: (listing, stretch) => db.all<{ id: string }>(stretchQuery(listing, stretch)).map(({ id }) => id),
  };
}

/** Apart, so that a test can look at its plan. */
export function endQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, candidates }: Reach): SQL {
  const { at, id } = listing;
  const where = and(driver.term?.condition, ...between(listing, after, null)) ?? sql`TRUE`;
  return sql`SELECT ${at} AS at, ${id} AS id FROM ${indexed(listing, driver)} WHERE ${where} ORDER BY ${at} DESC, ${id} DESC LIMIT 1 OFFSET ${candidates - 1}`;
}

/** Apart, so that a test can look at its plan. SQLite asks first what stands in the index, and reads a row only where that holds. */
export function stretchQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, downTo, limit }: Stretch): SQL {
  const { at, id, terms } = listing;
  const where = and(...terms.map((term) => term.condition), ...between(listing, after, downTo)) ?? sql`TRUE`;
  return sql`SELECT ${id} AS id FROM ${indexed(listing, driver)} WHERE ${where} ORDER BY ${at} DESC, ${id} DESC LIMIT ${limit}`;
}

function indexed<Row, Shape>({ table }: Listing<Row, Shape>, { index }: Driver): SQL {
  return sql`${sql.identifier(table)} INDEXED BY ${sql.identifier(index)}`;
}
