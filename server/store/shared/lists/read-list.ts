import { listBudget } from "../../../domain/list-budget.ts";
import { type Column, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Page, PageRequest } from "../../../contract/list.ts";
import { encodeCursor, isBefore, newestOf, type Position, readPageRequest } from "./cursor.ts";
import { toIso } from "../iso-time.ts";
import { type Operation, pause, resultOf } from "../operation.ts";

/** The result of scanning the next candidates. */
interface Scan<Row> {
  /** The matching rows, newest first; at most one more than a page has. */
  found: Row[];
  /** The last scanned candidate; `null` if there is none after it. */
  end: Position | null;
}

interface Search<Row> {
  limit: number;
  after: Position | null;
  scan: (after: Position | null, candidates: number) => Operation<Scan<Row>>;
  position: (row: Row) => Position;
  /**
   * The number of candidates in the first scan, and the minimum. Each next scan has twice as many, up to `maxScan`, as
   * long as a scan takes no longer than `maxScanMs`.
   */
  firstScan: number;
  maxScan: number;
  /** Maximum milliseconds of one scan. */
  maxScanMs: number;
  /** Maximum milliseconds of all scans if they find a row. */
  budgetMs: number;
  /** Maximum milliseconds, including pauses, of a search that has found no row yet. */
  emptyMs: number;
  signal?: AbortSignal | undefined;
  now: () => number;
}

/** One condition of a filter. */
export interface Term {
  condition: SQL;
  /** The index that has the rows that satisfy it, in the order of lists. */
  index?: string;
  /** True if it reads payloads, or a column that the list index of SQLite does not have. */
  isSlow?: boolean;
}

/** A requested list: the rows of a table that satisfy all terms, newest first. */
export interface Listing<Row, Shape> {
  table: "run" | "delivery";
  at: Column;
  id: Column;
  /** The most selective terms are first. */
  terms: Term[];
  /** The same terms on the list index of SQLite, in the same order, if it has their indexes. */
  listed?: { at: Column; id: Column; terms: Term[] };
  /** The sizes of the payloads that slow terms read. */
  payloadBytes?: SQL[];
  since: number | undefined;
  until: number | undefined;
  /** Only rows before this position. */
  newerThan?: Position | undefined;
  /** The rows with these ids, in the order of lists. */
  readRows: (ids: string[]) => Row[] | Promise<Row[]>;
  /** The next part of the list, after a position, that can have matches. Rows before that part need no scan. */
  nextRegion?: ((after: Position | null) => Region) | undefined;
  position: (row: Row) => Position;
  shape: (row: Row) => Shape;
}

/** The columns of a list. */
export function pickColumns<Columns, Name extends keyof Columns>(columns: Columns, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Columns, Name>;
}

/** A part of the list that can have matches; `downTo: null`: to the end of the list. */
export interface Region {
  after: Position | null;
  downTo: Position | null;
}

/** A part of a list: after one row, down to another one (inclusive). */
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

/** The two queries of a database from which lists are made. */
export interface ListReader {
  /** The number of candidates in the first scan: if all terms are fast, and if some read payloads. */
  firstScan: { fast: number; slow: number };
  /** The maximum number of candidates in a scan. */
  maxScan: { fast: number; slow: number };
  /** Maximum milliseconds of one scan. */
  maxScanMs: number;
  /** The position of the last of this many candidates of an index; `null` if there are fewer. */
  findEnd<Row, Shape>(listing: Listing<Row, Shape>, reach: Reach): Position | null | Promise<Position | null>;
  /** Ids of the rows of a stretch that satisfy all terms, newest first. Can stop early if terms are slow. */
  findIds<Row, Shape>(listing: Listing<Row, Shape>, stretch: Stretch): Found | Promise<Found>;
}

export interface Found {
  ids: string[];
  /** The last scanned row, if the stretch has more rows. */
  stoppedAt: Position | null;
}

const probedCandidates = 1000;
const minCandidatesPerHour = 30;
const hourMs = 3_600_000;

/**
 * One index provides the candidates in order. The other filters are checked on the candidates, for a limited time. Such
 * a page can be short, and its cursor continues after the last candidate. The first page of a list has little time,
 * because it is read repeatedly while a person looks at it. The next pages continue as long as they find nothing.
 */
export function* readList<Row, Shape>(
  reader: ListReader,
  whole: Listing<Row, Shape>,
  page: PageRequest,
): Operation<Page<Shape>> {
  const { limit, after, newerThan } = readPageRequest(page);
  const listing = { ...whole, newerThan };
  const { position, shape } = listing;
  const { rows, next } = yield* findPage(reader, listing, { limit, after, signal: page.signal });
  return {
    data: rows.map(shape),
    nextCursor: next && encodeCursor(next),
    ...(next && rows.length < limit && { searchedTo: toIso(next.at) }),
    ...(page.newerThan !== undefined && { newest: newestOf(rows.map(position)[0], page) }),
  };
}

function* findPage<Row, Shape>(
  reader: ListReader,
  listing: Listing<Row, Shape>,
  { limit, after, signal }: { limit: number; after: Position | null; signal: AbortSignal | undefined },
): Operation<{ rows: Row[]; next: Position | null }> {
  const driver = yield* chooseDriver(reader, listing, after);
  const { position, newerThan } = listing;
  if (listing.terms.every((term) => term === driver.term)) {
    const { rows } = yield* readStretch(reader, listing, { driver, after, downTo: null, limit: limit + 1 });
    const last = rows[limit - 1];
    return { rows: rows.slice(0, limit), next: rows.length > limit && last ? position(last) : null };
  }
  const nextRegion =
    listing.nextRegion && (yield* isDense(reader, listing, { driver, after })) ? listing.nextRegion : undefined;
  const isSlow = listing.terms.some((term) => term.isSlow);
  return yield* scanCandidates({
    limit,
    after,
    *scan(from, candidates) {
      const region = nextRegion?.(from) ?? { after: from, downTo: null };
      const end = firstOf(
        yield* resultOf(reader.findEnd(listing, { driver, after: region.after, candidates })),
        region.downTo,
      );
      const { rows: found, stoppedAt } = yield* readStretch(reader, listing, {
        driver,
        after: region.after,
        downTo: end,
        limit: limit + 1,
      });
      const scanned = stoppedAt ?? end;
      return { found, end: scanned && newerThan && !isBefore(scanned, newerThan) ? null : scanned };
    },
    position,
    firstScan: isSlow ? reader.firstScan.slow : reader.firstScan.fast,
    maxScan: isSlow ? reader.maxScan.slow : reader.maxScan.fast,
    maxScanMs: reader.maxScanMs,
    budgetMs: listBudget.pageMs,
    emptyMs: after === null ? 0 : listBudget.emptyPageMs,
    signal,
    now: () => performance.now(),
  });
}

/** The indexes that can provide the candidates: at least one. */
export function driversOf<Row, Shape>({ table, terms }: Listing<Row, Shape>): readonly [Driver, ...Driver[]] {
  const [first, ...others] = terms.flatMap((term): Driver[] =>
    term.index === undefined ? [] : [{ index: term.index, term }],
  );
  return first ? [first, ...others] : [{ index: `${table}_by_time`, term: null }];
}

/** The index with the fewest candidates; of several long ones, the one whose candidates are furthest apart in time. */
export function* chooseDriver<Row, Shape>(
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
      downTo: (yield* resultOf(reader.findEnd(listing, { driver, after, candidates: probedCandidates })))?.at ?? -1,
    });
  return reaches.reduce((best, next) => (next.downTo < best.downTo ? next : best)).driver;
}

/** True if there are enough candidates per hour that skipping hours saves time. */
function* isDense<Row, Shape>(
  reader: ListReader,
  listing: Listing<Row, Shape>,
  p: { driver: Driver; after: Position | null },
): Operation<boolean> {
  const first = yield* resultOf(reader.findEnd(listing, { ...p, candidates: 1 }));
  const last = yield* resultOf(reader.findEnd(listing, { ...p, candidates: probedCandidates }));
  return first !== null && last !== null && (first.at - last.at) / hourMs < probedCandidates / minCandidatesPerHour;
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

/**
 * One bound on each side, the narrower one. With two, a database seeks to the first in the index and scans to the
 * second.
 */
export function between(
  { at, id, since, until, newerThan }: Pick<Listing<unknown, unknown>, "at" | "id" | "since" | "until" | "newerThan">,
  after: Position | null,
  downTo: Position | null,
): (SQL | undefined)[] {
  const isBelow = after !== null && (until === undefined || after.at < until);
  const isNewer = newerThan !== undefined && (downTo === null || !isBefore(downTo, newerThan));
  const end = isNewer ? newerThan : downTo;
  return [
    isBelow ? sql`(${at}, ${id}) < (${after.at}, ${after.id})` : until === undefined ? undefined : lt(at, until),
    end !== null && (since === undefined || end.at >= since)
      ? sql`(${at}, ${id}) ${sql.raw(isNewer ? ">" : ">=")} (${end.at}, ${end.id})`
      : since === undefined
        ? undefined
        : gte(at, since),
  ];
}

/** The position that is first in the list. */
function firstOf(one: Position | null, other: Position | null): Position | null {
  if (one === null || other === null) return one ?? other;
  return isBefore(one, other) ? one : other;
}

/**
 * Scans candidates for matching rows, until a page is full, the list ends, or the time is up. In the last case, the
 * page is short, and the next one continues after the last candidate. Each scan costs at most about twice the previous
 * one, so a scan that would exceed the time does not start. There is a pause between scans. Pauses count only for a
 * search that has found nothing, so that a search under load still makes the progress of a page.
 */
export function* scanCandidates<Row>(p: Search<Row>): Operation<{ rows: Row[]; next: Position | null }> {
  const rows: Row[] = [];
  let after = p.after;
  let spentMs = 0;
  const startedAt = p.now();
  for (let candidates = p.firstScan; ; yield* pause()) {
    const began = p.now();
    const { found, end } = yield* p.scan(after, candidates);
    const scanMs = p.now() - began;
    spentMs += scanMs;
    const nextMs = 2 * scanMs > p.maxScanMs ? scanMs : 2 * scanMs;
    rows.push(...found);
    const last = rows[p.limit - 1];
    if (rows.length > p.limit && last !== undefined) return { rows: rows.slice(0, p.limit), next: p.position(last) };
    const isContinued = rows.length === 0 && p.now() - startedAt + nextMs <= p.emptyMs;
    if (end === null || p.signal?.aborted || (spentMs + nextMs > p.budgetMs && !isContinued))
      return { rows, next: end };
    after = end;
    if (nextMs > scanMs || scanMs === 0) candidates = Math.min(2 * candidates, p.maxScan);
    else if (scanMs > p.maxScanMs) candidates = Math.max(p.firstScan, Math.floor((candidates * p.maxScanMs) / scanMs));
  }
}
