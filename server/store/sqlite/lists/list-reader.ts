import { listBudget } from "../../../domain/list-budget.ts";
import { and, type Column, or, type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { CountedStretch } from "../../shared/lists/count-list.ts";
import {
  between,
  type Driver,
  type Found,
  type Listing,
  type ListReader,
  type Reach,
  type Stretch,
  type Term,
} from "../../shared/lists/read-list.ts";
import type { SqliteDatabase } from "../database.ts";
import { isUnlistedSql } from "./list-index.ts";

/** The id of a position is the number of the row with leading zeros, so that text order is the order of the numbers. */
export function toPositionId(seq: number): string {
  return String(seq).padStart(String(Number.MAX_SAFE_INTEGER).length, "0");
}

export function readSeq(positionId: string): number {
  return Number(positionId);
}

/**
 * If a term has an index on the table itself, which contains few rows: the terms with only these indexes. Otherwise
 * `null`: the candidates come from the list index.
 */
export function withOwnIndex(terms: readonly Term[], own: readonly string[]): Term[] | null {
  if (!terms.some(({ index }) => index !== undefined && own.includes(index))) return null;
  return terms.map(({ index, ...term }) => (index !== undefined && own.includes(index) ? { ...term, index } : term));
}

/** Names the index for SQLite, which would not find the best one by itself. */
export function createListReader(database: SqliteDatabase): ListReader {
  const { db } = database;
  return {
    firstScan: { fast: 400, slow: 200 },
    maxScan: { fast: 100_000, slow: 4_000 },
    maxScanMs: listBudget.sqliteScanMs,
    findEnd(listing, reach) {
      const end = db.get<{ at: number; id: number } | undefined>(endQuery(listing, reach));
      return end ? { at: end.at, id: toPositionId(end.id) } : null;
    },
    findIds: (listing, stretch) =>
      listing.terms.some(({ isSlow }) => isSlow)
        ? findIdsByPayload(database, listing, stretch)
        : {
            ids: db.all<{ seq: number }>(stretchQuery(listing, stretch)).map(({ seq }) => toPositionId(seq)),
            stoppedAt: null,
          },
  };
}

/** Exported for the test of its query plan. */
export function endQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, candidates }: Reach): SQL {
  const { at, id, from, driving } = sourceOf(listing, driver);
  const where = and(driving, ...between({ ...listing, at, id }, after, null)) ?? sql`TRUE`;
  return sql`SELECT ${at} AS at, ${id} AS id FROM ${from} WHERE ${where} ORDER BY ${at} DESC, ${id} DESC LIMIT 1 OFFSET ${candidates - 1}`;
}

/** Exported for the test of its query plan. */
export function stretchQuery<Row, Shape>(listing: Listing<Row, Shape>, stretch: Stretch): SQL {
  const { at, id, from, terms } = sourceOf(listing, stretch.driver);
  const listed = sql`SELECT ${at} AS at, ${id} AS seq FROM ${from} WHERE ${conditions({ ...listing, at, id, terms }, stretch)}`;
  const unlisted = sql`SELECT ${listing.at} AS at, ${listing.id} AS seq FROM ${unlistedRows(listing)} AND ${conditions(listing, stretch)}`;
  return sql`${withUnlisted(listing, listed, unlisted)} ORDER BY at DESC, seq DESC LIMIT ${stretch.limit}`;
}

/** The rows of a stretch by bucket and status. Exported for the test of its query plan. */
export function countQuery<Row, Shape>(
  listing: Listing<Row, Shape>,
  { driver, after, downTo }: CountedStretch,
  p: { status: Column; listedStatus: Column; bucketMs: number },
): SQL {
  const { at, id, from, terms } = sourceOf(listing, driver);
  const stretch = { after, downTo };
  const status = listing.listed ? p.listedStatus : p.status;
  const listed = sql`SELECT ${at} AS at, ${status} AS status FROM ${from} WHERE ${conditions({ ...listing, at, id, terms }, stretch)}`;
  const unlisted = sql`SELECT ${listing.at} AS at, ${p.status} AS status FROM ${unlistedRows(listing)} AND ${conditions(listing, stretch)}`;
  return sql`SELECT at - at % ${p.bucketMs} AS bucket, status, count(*) AS count FROM (${withUnlisted(listing, listed, unlisted)}) GROUP BY bucket, status`;
}

const dialect = new SQLiteSyncDialect();

/** Larger payloads are checked one at a time. */
const largeBytes = 2_048;

/**
 * SQLite skips small payloads that do not match. Large ones are checked here, until the time of the scan is over: a few
 * of them take as long as thousands of small ones.
 */
function findIdsByPayload<Row, Shape>(
  { connection }: SqliteDatabase,
  listing: Listing<Row, Shape>,
  stretch: Stretch,
): Found {
  const query = dialect.sqlToQuery(slowStretchQuery(listing, stretch));
  const check = dialect.sqlToQuery(slowCheckQuery(listing));
  const slowTerms = connection.prepare<unknown[], number>(check.sql).pluck();
  const endAt = performance.now() + listBudget.sqliteScanMs;
  const ids: string[] = [];
  for (const { seq, at, isLarge } of connection
    .prepare<unknown[], { seq: number; at: number; isLarge: number | null }>(query.sql)
    .iterate(...query.params)) {
    const id = toPositionId(seq);
    if (isLarge !== 1 || slowTerms.get(...check.params, seq) === 1) ids.push(id);
    if (ids.length >= stretch.limit || performance.now() > endAt) return { ids, stoppedAt: { at, id } };
  }
  return { ids, stoppedAt: null };
}

/** The rows with large payloads, and those that satisfy all terms. Exported for the test of its query plan. */
export function slowStretchQuery<Row, Shape>(listing: Listing<Row, Shape>, stretch: Stretch): SQL {
  const { table, payloadBytes = [] } = listing;
  const { at, id, from, terms } = sourceOf(listing, stretch.driver);
  const isLarge = or(...payloadBytes.map((bytes) => sql`${bytes} > ${largeBytes}`)) ?? sql`FALSE`;
  const rest = sql`(${isLarge} OR ${slowCondition(listing)})`;
  const rows = listing.listed ? sql`${from} CROSS JOIN ${sql.identifier(table)} ON ${listing.id} = ${id}` : from;
  const listed = sql`SELECT ${at} AS at, ${id} AS seq, ${isLarge} AS isLarge FROM ${rows}
    WHERE ${conditions({ ...listing, at, id, terms: terms.filter(isFast) }, stretch)} AND ${rest}`;
  const unlisted = sql`SELECT ${listing.at} AS at, ${listing.id} AS seq, ${isLarge} AS isLarge FROM ${unlistedRows(listing)}
    AND ${conditions({ ...listing, terms: listing.terms.filter(isFast) }, stretch)} AND ${rest}`;
  return sql`${withUnlisted(listing, listed, unlisted)} ORDER BY at DESC, seq DESC`;
}

function isFast({ isSlow }: Term): boolean {
  return !isSlow;
}

function slowCheckQuery<Row, Shape>(listing: Listing<Row, Shape>): SQL {
  return sql`SELECT ${slowCondition(listing)} FROM ${sql.identifier(listing.table)} WHERE ${listing.id} = ${sql.raw("?")}`;
}

function slowCondition<Row, Shape>({ terms }: Listing<Row, Shape>): SQL {
  return and(...terms.filter(({ isSlow }) => isSlow).map(({ condition }) => condition)) ?? sql`TRUE`;
}

/** The rows of an index: on the list index, or on the table itself. */
function sourceOf<Row, Shape>(listing: Listing<Row, Shape>, { index, term }: Driver) {
  const { at, id, terms } = listing.listed ?? listing;
  const table = listing.listed ? `${listing.table}_list` : listing.table;
  return {
    at,
    id,
    terms,
    from: sql`${sql.identifier(table)} INDEXED BY ${sql.identifier(index)}`,
    driving: term ? terms[listing.terms.indexOf(term)]?.condition : undefined,
  };
}

/** The rows that are not in the list index yet. Callers append further conditions. */
function unlistedRows<Row, Shape>({ table }: Listing<Row, Shape>): SQL {
  return sql`${sql.identifier(table)} NOT INDEXED WHERE ${sql.raw(isUnlistedSql(table))}`;
}

function withUnlisted<Row, Shape>({ listed }: Listing<Row, Shape>, indexed: SQL, unlisted: SQL): SQL {
  return listed ? sql`${indexed} UNION ALL ${unlisted}` : indexed;
}

function conditions<Row, Shape>(
  listing: Pick<Listing<Row, Shape>, "at" | "id" | "since" | "until" | "newerThan" | "terms">,
  { after, downTo }: Pick<Stretch, "after" | "downTo">,
): SQL {
  return and(...listing.terms.map(({ condition }) => condition), ...between(listing, after, downTo)) ?? sql`TRUE`;
}
