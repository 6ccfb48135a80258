import { type Column, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Page, PageRequest } from "../../contract/list.ts";
import { encodeCursor, type Position, readPageRequest, toPage } from "./cursor.ts";
import { toIso } from "./iso-time.ts";
import { type Operation, pause, resultOf } from "./operation.ts";

/** What a look at the next candidates gave. */
interface Look<Row> {
  /** Those that hold, newest first; at most one more than a page shows. */
  found: Row[];
  /** The last candidate of the look; `null` where there is none after it. */
  end: Position | null;
}

interface Search<Row> {
  limit: number;
  after: Position | null;
  look: (after: Position | null, candidates: number) => Operation<Look<Row>>;
  position: (row: Row) => Position;
  /**
   * How many candidates to look at first, and at least. The next looks have twice as many, up to `maxLook`, as long as
   * they take no longer than `lookMs`.
   */
  firstLook: number;
  maxLook: number;
  /** Milliseconds that one look may take. */
  lookMs: number;
  /** Milliseconds that all looks together may take if they find a row. */
  budgetMs: number;
  /** Milliseconds, with the pauses, that the search may take as long as it finds no row. */
  emptyMs: number;
  signal?: AbortSignal | undefined;
  now: () => number;
}

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
  at: Column;
  id: Column;
  /** Those that few rows hold for stand first. */
  terms: Term[];
  /** The same in the list index of SQLite, where it has the indexes of the terms: the terms in the same order. */
  listed?: { at: Column; id: Column; terms: Term[] };
  /** The sizes of what slow terms read of a row. */
  payloadBytes?: SQL[];
  since: number | undefined;
  until: number | undefined;
  /** The rows with these ids, in the order of lists. */
  readRows: (ids: string[]) => Row[] | Promise<Row[]>;
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
export interface Stretch {
  driver: Driver;
  after: Position | null;
  downTo: Position | null;
  limit: number;
}

export interface Driver {
  index: string;
  term: Term | null;
}

/** How a database answers the two questions of which lists are made. */
export interface ListReader {
  /** How many candidates to look at first: where terms are quick to answer, and where they read payloads. */
  firstLook: { fast: number; slow: number };
  /** How many candidates to look at at most. */
  maxLook: { fast: number; slow: number };
  /** Milliseconds that one look may take. */
  lookMs: number;
  /** Where so many candidates of an index end; `null` where there are not so many. */
  findEnd<Row, Shape>(listing: Listing<Row, Shape>, reach: Reach): Position | null | Promise<Position | null>;
  /** Ids of the rows of a stretch for which all terms hold, newest first. May stop early where terms are slow. */
  findIds<Row, Shape>(listing: Listing<Row, Shape>, stretch: Stretch): Found | Promise<Found>;
}

export interface Found {
  ids: string[];
  /** The last row that was looked at, where there is more of the stretch. */
  stoppedAt: Position | null;
}

/**
 * Milliseconds for a page; with pauses, for a page that continues a list and finds no row; and for one look of SQLite,
 * which blocks the event loop. Tests of the content of lists raise them.
 */
export const listBudget = { pageMs: 30, emptyPageMs: 1_000, sqliteLookMs: 5 };
const probed = 1000;
const denseAnHour = 30;
const hourMs = 3_600_000;

/**
 * One index gives the candidates in order. Filters that it does not answer are checked on them, for a bounded time:
 * such a page can be short, and its cursor continues after the last candidate. The first page of a list ends soon,
 * because it is read again and again while a person looks at it. The following pages continue as long as they find
 * nothing.
 */
export function* readList<Row, Shape>(
  reader: ListReader,
  listing: Listing<Row, Shape>,
  page: PageRequest,
): Operation<Page<Shape>> {
  const { limit, after } = readPageRequest(page);
  const driver = yield* chooseDriver(reader, listing, after);
  const { position, shape } = listing;
  if (listing.terms.every((term) => term === driver.term)) {
    return toPage((yield* readStretch(reader, listing, { driver, after, downTo: null, limit: limit + 1 })).rows, {
      limit,
      position,
      shape,
    });
  }
  const nextRegion =
    listing.nextRegion && (yield* isDense(reader, listing, { driver, after })) ? listing.nextRegion : undefined;
  const isSlow = listing.terms.some((term) => term.isSlow);
  const { rows, next } = yield* lookThrough({
    limit,
    after,
    *look(from, candidates) {
      const region = nextRegion?.(from) ?? { after: from, downTo: null };
      const end = higher(
        yield* resultOf(reader.findEnd(listing, { driver, after: region.after, candidates })),
        region.downTo,
      );
      const { rows: found, stoppedAt } = yield* readStretch(reader, listing, {
        driver,
        after: region.after,
        downTo: end,
        limit: limit + 1,
      });
      return { found, end: stoppedAt ?? end };
    },
    position,
    firstLook: isSlow ? reader.firstLook.slow : reader.firstLook.fast,
    maxLook: isSlow ? reader.maxLook.slow : reader.maxLook.fast,
    lookMs: reader.lookMs,
    budgetMs: listBudget.pageMs,
    emptyMs: after === null ? 0 : listBudget.emptyPageMs,
    signal: page.signal,
    now: () => performance.now(),
  });
  return {
    data: rows.map(shape),
    nextCursor: next && encodeCursor(next),
    ...(next && rows.length < limit && { searchedTo: toIso(next.at) }),
  };
}

/** The indexes that may give the candidates: at least one. */
export function driversOf<Row, Shape>({ table, terms }: Listing<Row, Shape>): readonly [Driver, ...Driver[]] {
  const [first, ...others] = terms.flatMap((term): Driver[] =>
    term.index === undefined ? [] : [{ index: term.index, term }],
  );
  return first ? [first, ...others] : [{ index: `${table}_by_time`, term: null }];
}

/** The index with the fewest candidates; of long ones that whose candidates lie furthest apart in time. */
function* chooseDriver<Row, Shape>(
  reader: ListReader,
  listing: Listing<Row, Shape>,
  after: Position | null,
): Operation<Driver> {
  const drivers = driversOf(listing);
  if (drivers.length === 1) return drivers[0];
  const reaches: { driver: Driver; downTo: number }[] = [];
  for (const driver of drivers)
    reaches.push({
      driver,
      downTo: (yield* resultOf(reader.findEnd(listing, { driver, after, candidates: probed })))?.at ?? -1,
    });
  return reaches.reduce((best, next) => (next.downTo < best.downTo ? next : best)).driver;
}

/** Whether there are so many candidates an hour that leaving hours out is worth its while. */
function* isDense<Row, Shape>(
  reader: ListReader,
  listing: Listing<Row, Shape>,
  p: { driver: Driver; after: Position | null },
): Operation<boolean> {
  const first = yield* resultOf(reader.findEnd(listing, { ...p, candidates: 1 }));
  const last = yield* resultOf(reader.findEnd(listing, { ...p, candidates: probed }));
  return first !== null && last !== null && (first.at - last.at) / hourMs < probed / denseAnHour;
}

export interface Reach {
  driver: Driver;
  after: Position | null;
  candidates: number;
}

function* readStretch<Row, Shape>(
  reader: ListReader,
  listing: Listing<Row, Shape>,
  stretch: Stretch,
): Operation<{ rows: Row[]; stoppedAt: Position | null }> {
  const { ids, stoppedAt } = yield* resultOf(reader.findIds(listing, stretch));
  return { rows: ids.length === 0 ? [] : yield* resultOf(listing.readRows(ids)), stoppedAt };
}

/** One bound on each side, the narrower one: of two, a database goes to the first in the index and walks to the second. */
export function between(
  { at, id, since, until }: Pick<Listing<unknown, unknown>, "at" | "id" | "since" | "until">,
  after: Position | null,
  downTo: Position | null,
): (SQL | undefined)[] {
  const isBelow = after !== null && (until === undefined || after.at < until);
  return [
    isBelow ? sql`(${at}, ${id}) < (${after.at}, ${after.id})` : until === undefined ? undefined : lt(at, until),
    downTo !== null && (since === undefined || downTo.at >= since)
      ? sql`(${at}, ${id}) >= (${downTo.at}, ${downTo.id})`
      : since === undefined
        ? undefined
        : gte(at, since),
  ];
}

/** Which of two places comes first in the list. */
function higher(one: Position | null, other: Position | null): Position | null {
  if (one === null || other === null) return one ?? other;
  return one.at > other.at || (one.at === other.at && one.id > other.id) ? one : other;
}

/**
 * Looks through candidates for those that hold, until a page is full, the end is reached or the time is up: then the
 * page is short, and the next continues after the last candidate. Each look costs at most about twice the one before,
 * so none begins that would not end in time. Between looks there is a pause. Its length counts only for a search that
 * has found nothing: under load it still makes the progress of a page.
 */
export function* lookThrough<Row>(p: Search<Row>): Operation<{ rows: Row[]; next: Position | null }> {
  const rows: Row[] = [];
  let after = p.after;
  let spentMs = 0;
  const startedAt = p.now();
  for (let candidates = p.firstLook; ; yield* pause()) {
    const began = p.now();
    const { found, end } = yield* p.look(after, candidates);
    const tookMs = p.now() - began;
    spentMs += tookMs;
    const nextMs = 2 * tookMs > p.lookMs ? tookMs : 2 * tookMs;
    rows.push(...found);
    const last = rows[p.limit - 1];
    if (rows.length > p.limit && last !== undefined) return { rows: rows.slice(0, p.limit), next: p.position(last) };
    const isContinued = rows.length === 0 && p.now() - startedAt + nextMs <= p.emptyMs;
    if (end === null || p.signal?.aborted || (spentMs + nextMs > p.budgetMs && !isContinued))
      return { rows, next: end };
    after = end;
    if (nextMs > tookMs || tookMs === 0) candidates = Math.min(2 * candidates, p.maxLook);
    else if (tookMs > p.lookMs) candidates = Math.max(p.firstLook, Math.floor((candidates * p.lookMs) / tookMs));
  }
}
