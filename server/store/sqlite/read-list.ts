import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Page } from "../../contract/page.ts";
import type { PageRequest } from "../../ports/store.ts";
import { encodeCursor, type Position, readPageRequest, toPage } from "../shared/cursor.ts";
import { lookThrough } from "../shared/look-through.ts";
import type { SqliteDatabase } from "./database.ts";

/** What one filter asks of a row. */
export interface Term {
  condition: SQL;
  /** The index that has those for which it holds in the order of lists. */
  index?: string;
  /** It reads payloads, which takes long. */
  isSlow?: boolean;
}

/** A list that is asked for: rows of a table, newest first, for which all terms hold. */
export interface Listing<Row, Shape> {
  table: "run" | "delivery";
  at: SQLiteColumn;
  id: SQLiteColumn;
  /** Those that few rows hold for stand first. */
  terms: Term[];
  since: number | undefined;
  until: number | undefined;
  /** The rows with these ids, in the order of lists. */
  readRows: (ids: string[]) => Row[];
  /** The next part of the list that may have such rows, after a place in it; what lies between need not be looked at. */
  nextRegion?: ((after: Position | null) => Region) | undefined;
  position: (row: Row) => Position;
  shape: (row: Row) => Shape;
}

/** A part of the list that is worth a look; `downTo: null` is all the rest. */
export interface Region {
  after: Position | null;
  downTo: Position | null;
}

/** A part of a list: after one row, down to and with another. */
interface Stretch {
  driver: Driver;
  after: Position | null;
  downTo: Position | null;
  limit: number;
}

interface Driver {
  index: string;
  term: Term | null;
}

const budgetMs = 30;
const firstLook = { fast: 400, slow: 24 };
const probed = 1000;
const denseAnHour = 30;
const hourMs = 3_600_000;

/**
 * One index gives the candidates in order. What it does not answer is looked through, within a bounded time: such a page may be
 * short, and its cursor goes on after the last row that was looked at.
 */
export function readList<Row, Shape>(database: SqliteDatabase, listing: Listing<Row, Shape>, page: PageRequest): Page<Shape> {
  const { limit, after } = readPageRequest(page);
  const driver = chooseDriver(database, listing, after);
  const { position, shape } = listing;
  if (listing.terms.every((term) => term === driver.term)) {
    return toPage(readStretch(database, listing, { driver, after, downTo: null, limit: limit + 1 }), { limit, position, shape });
  }
  const nextRegion = listing.nextRegion && isDense(database, listing, { driver, after }) ? listing.nextRegion : undefined;
  const { rows, next } = lookThrough({
    limit,
    after,
    look(from, candidates) {
      const region = nextRegion?.(from) ?? { after: from, downTo: null };
      const end = higher(findEnd(database, listing, { driver, after: region.after, candidates }), region.downTo);
      return { found: readStretch(database, listing, { driver, after: region.after, downTo: end, limit: limit + 1 }), end };
    },
    position,
    firstLook: listing.terms.some((term) => term.isSlow) ? firstLook.slow : firstLook.fast,
    budgetMs,
    now: () => performance.now(),
  });
  return { data: rows.map(shape), nextCursor: next && encodeCursor(next) };
}

/** The indexes that may give the candidates: at least one. */
export function driversOf<Row, Shape>({ table, terms }: Listing<Row, Shape>): readonly [Driver, ...Driver[]] {
  const [first, ...others] = terms.flatMap((term): Driver[] => (term.index === undefined ? [] : [{ index: term.index, term }]));
  return first ? [first, ...others] : [{ index: `${table}_by_time`, term: null }];
}

/** The index with the fewest candidates; of long ones that whose candidates lie furthest apart in time. */
function chooseDriver<Row, Shape>(database: SqliteDatabase, listing: Listing<Row, Shape>, after: Position | null): Driver {
  const drivers = driversOf(listing);
  if (drivers.length === 1) return drivers[0];
  const reaches = drivers.map((driver) => ({ driver, downTo: findEnd(database, listing, { driver, after, candidates: probed })?.at ?? -1 }));
  return reaches.reduce((best, next) => (next.downTo < best.downTo ? next : best)).driver;
}

/** Whether there are so many candidates an hour that leaving hours out is worth its while. */
function isDense<Row, Shape>(database: SqliteDatabase, listing: Listing<Row, Shape>, p: { driver: Driver; after: Position | null }): boolean {
  const first = findEnd(database, listing, { ...p, candidates: 1 });
  const last = findEnd(database, listing, { ...p, candidates: probed });
  return first !== null && last !== null && (first.at - last.at) / hourMs < probed / denseAnHour;
}

interface Reach {
  driver: Driver;
  after: Position | null;
  candidates: number;
}

/** Where so many candidates of an index end; `null` where there are not so many. */
function findEnd<Row, Shape>({ db }: SqliteDatabase, listing: Listing<Row, Shape>, reach: Reach): Position | null {
  return db.get<Position | undefined>(endQuery(listing, reach)) ?? null;
}

/** Apart, so that a test can look at its plan. */
export function endQuery<Row, Shape>(listing: Listing<Row, Shape>, { driver, after, candidates }: Reach): SQL {
  const { at, id } = listing;
  const where = and(driver.term?.condition, ...between(listing, after, null)) ?? sql`TRUE`;
  return sql`SELECT ${at} AS at, ${id} AS id FROM ${indexed(listing, driver)} WHERE ${where} ORDER BY ${at} DESC, ${id} DESC LIMIT 1 OFFSET ${candidates - 1}`;
}

function readStretch<Row, Shape>({ db }: SqliteDatabase, listing: Listing<Row, Shape>, stretch: Stretch): Row[] {
  const ids = db.all<{ id: string }>(stretchQuery(listing, stretch)).map(({ id }) => id);
  return ids.length === 0 ? [] : listing.readRows(ids);
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

/** One bound on each side, the narrower one: of two, SQLite goes to the first in the index and walks to the second. */
function between<Row, Shape>({ at, id, since, until }: Listing<Row, Shape>, after: Position | null, downTo: Position | null): (SQL | undefined)[] {
  const isBelow = after !== null && (until === undefined || after.at < until);
  return [
    isBelow ? sql`(${at}, ${id}) < (${after.at}, ${after.id})` : until === undefined ? undefined : lt(at, until),
    downTo !== null && (since === undefined || downTo.at >= since) ? sql`(${at}, ${id}) >= (${downTo.at}, ${downTo.id})` : since === undefined ? undefined : gte(at, since),
  ];
}

/** Which of two places comes first in the list. */
function higher(one: Position | null, other: Position | null): Position | null {
  if (one === null || other === null) return one ?? other;
  return one.at > other.at || (one.at === other.at && one.id > other.id) ? one : other;
}
