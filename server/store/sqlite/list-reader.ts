import { and, or, type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import {
  between,
  type Driver,
  type Found,
  listBudget,
  type Listing,
  type ListReader,
  type Reach,
  type Stretch,
} from "../shared/read-list.ts";
import type { SqliteDatabase } from "./database.ts";

/** Positions have the number of a row as their id, with leading zeros: compared as text, they are in order. */
export function toPositionId(seq: number): string {
  return String(seq).padStart(String(Number.MAX_SAFE_INTEGER).length, "0");
}

export function readSeq(positionId: string): number {
  return Number(positionId);
}

/** SQLite gets the index by name: it would not find out by itself which one is best. */
export function createListReader(database: SqliteDatabase): ListReader {
  const { db } = database;
  return {
    firstLook: { fast: 400, slow: 200 },
    maxLook: { fast: 100_000, slow: 4_000 },
    lookMs: listBudget.sqliteLookMs,
    findEnd(listing, reach) {
      const end = db.get<{ at: number; id: number } | undefined>(endQuery(listing, reach));
      return end ? { at: end.at, id: toPositionId(end.id) } : null;
    },
    findIds: (listing, stretch) =>
      listing.terms.some(({ isSlow }) => isSlow)
        ? findSlowly(database, listing, stretch)
        : {
            ids: db.all<{ id: number }>(stretchQuery(listing, stretch)).map(({ id }) => toPositionId(id)),
            stoppedAt: null,
          },
  };
}

/** Apart, so that a test can look at its plan. */
export function endQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, candidates }: Reach): SQL {
  const { at, id } = listing;
  const where = and(driver.term?.condition, ...between(listing, after, null)) ?? sql`TRUE`;
  return sql`SELECT ${at} AS at, ${id} AS id FROM ${indexed(listing, driver)} WHERE ${where} ORDER BY ${at} DESC, ${id} DESC LIMIT 1 OFFSET ${candidates - 1}`;
}

/**
 * Apart, so that a test can look at its plan. SQLite asks first what stands in the index, and reads a row only where
 * that holds.
 */
export function stretchQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, downTo, limit }: Stretch): SQL {
  const { at, id, terms } = listing;
  const where = and(...terms.map((term) => term.condition), ...between(listing, after, downTo)) ?? sql`TRUE`;
  return sql`SELECT ${id} AS id FROM ${indexed(listing, driver)} WHERE ${where} ORDER BY ${at} DESC, ${id} DESC LIMIT ${limit}`;
}

const dialect = new SQLiteSyncDialect();

/** Payloads with more bytes are checked one by one. */
const largeBytes = 2_048;

/**
 * SQLite skips small payloads that do not match. After each of the others, the look ends if its time is over: a few
 * large payloads take as long as thousands of small ones.
 */
function findSlowly<Row, Shape>({ connection }: SqliteDatabase, listing: Listing<Row, Shape>, stretch: Stretch): Found {
  const { sql: text, params } = dialect.sqlToQuery(slowStretchQuery(listing, stretch));
  const endAt = performance.now() + listBudget.sqliteLookMs;
  const ids: string[] = [];
  for (const { seq, at, holds } of connection
    .prepare<unknown[], { seq: number; at: number; holds: number }>(text)
    .iterate(...params)) {
    const id = toPositionId(seq);
    if (holds === 1) ids.push(id);
    if (ids.length >= stretch.limit || performance.now() > endAt) return { ids, stoppedAt: { at, id } };
  }
  return { ids, stoppedAt: null };
}

/** Apart, so that a test can look at its plan. */
export function slowStretchQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, downTo }: Stretch): SQL {
  const { at, id, terms, payloadBytes = [] } = listing;
  const fast =
    and(...terms.filter(({ isSlow }) => !isSlow).map((term) => term.condition), ...between(listing, after, downTo)) ??
    sql`TRUE`;
  const slow = and(...terms.filter(({ isSlow }) => isSlow).map((term) => term.condition)) ?? sql`TRUE`;
  const isLarge = or(...payloadBytes.map((bytes) => sql`${bytes} > ${largeBytes}`));
  return sql`SELECT ${id} AS seq, ${at} AS at, (${slow}) AS holds FROM ${indexed(listing, driver)} WHERE ${fast} AND (${or(isLarge, slow)}) ORDER BY ${at} DESC, ${id} DESC`;
}

function indexed<Row, Shape>({ table }: Listing<Row, Shape>, { index }: Driver): SQL {
  return sql`${sql.identifier(table)} INDEXED BY ${sql.identifier(index)}`;
}
