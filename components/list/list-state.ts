import type { Page } from "../../server/contract/list.ts";

/** The state of a live list: rows without gaps from the newest one down, and the cursor of older rows. */
export interface ListState<Row> {
  rows: readonly Row[];
  /** The cursor of the next older page; `null`: the end. */
  cursor: string | null;
  /** When the first page of the rows was fetched. */
  firstAt: number;
  /** The number of rows added on top since the list was reset. */
  grown: number;
  /** The last page ended early: the rows back to this time (ISO 8601) were searched. */
  searchedTo: string | null;
  /** A first page with a gap to the rows, stored until the reader asks for it. */
  apart: Page<Row> | null;
}

/** Rows of a page: the same on the server and in the browser, so that the first page is not loaded twice. */
export const pageRows = 50;

/** The first page of a list. It can consist of the rows that were read now, above rows of earlier reads. */
export interface FirstPage<Row> extends Page<Row> {
  /** The number of rows that were read now. Default: all. */
  read?: number;
  /** When all rows of the page were read at once. Default: now. */
  wholeAt?: number;
}

type RowKey<Row> = (row: Row) => string;

/** A list that grew by more than this is reset when the reader is at its top, so that it does not grow without limit. */
const maxGrown = 500;

/** A short first page (the scan is bounded) that is fetched again within this time has no gap to the rows. */
const joinsWithinMs = 15_000;

/** After this time, all rows of the first page are read again, because some may have been deleted. */
const wholeEveryMs = 60_000;

/** A first page that has grown beyond this is read again, so that it does not grow without limit. */
const maxFirstRows = 3 * pageRows;

/** The position of the newest row, if it is enough to read what is newer; `null`: the whole page has to be read. */
export function newerThanOf(
  first: FirstPage<unknown> | undefined,
  { readAt, now }: { readAt: number; now: number },
): string | null {
  if (!first || first.data.length > maxFirstRows || now - (first.wholeAt ?? readAt) >= wholeEveryMs) return null;
  return first.newest ?? null;
}

/** The first page with the newer rows on top. More of them than fit on a page are a first page by themselves. */
export function joinNewer<Row>(options: {
  first: FirstPage<Row>;
  readAt: number;
  newer: Page<Row>;
  rowKey: RowKey<Row>;
}): FirstPage<Row> {
  const { first, readAt, newer, rowKey } = options;
  if (newer.nextCursor !== null) return newer;
  const fresh = new Set(newer.data.map(rowKey));
  return {
    ...first,
    data: [...newer.data, ...first.data.filter((row) => !fresh.has(rowKey(row)))],
    newest: newer.newest,
    read: newer.data.length,
    wholeAt: first.wholeAt ?? readAt,
  };
}

/** The state after a fetch of the first page: new rows on top, known rows updated, deleted rows removed. */
export function takeFirst<Row>(options: {
  list: ListState<Row> | undefined;
  page: FirstPage<Row>;
  at: number;
  rowKey: RowKey<Row>;
  pageRows: number;
}): ListState<Row> {
  const { list, at, rowKey, pageRows } = options;
  if (!list) return resetList(options.page, at);
  if (at <= list.firstAt) return list;
  const page = withCurrent(options.page, list.rows, rowKey);
  if (page.nextCursor === null) return resetList(page, at);
  const joint = findJoint(list.rows, page.data, rowKey);
  if (joint === null && !joinsUnseen({ list, page, at, pageRows }))
    return list.rows.length === 0 ? resetList(page, at) : { ...list, firstAt: at, apart: page };
  const known = new Set(page.data.map(rowKey));
  const rest = list.rows.slice(joint === null ? 0 : joint.known + 1).filter((row) => !known.has(rowKey(row)));
  const grown = list.grown + (joint?.fresh ?? page.data.length);
  if (grown > maxGrown) return { ...list, firstAt: at, apart: page };
  return { ...list, rows: [...page.data, ...rest], firstAt: at, grown, apart: null };
}

/** The page with the current version of rows from earlier reads: a row may have been refetched meanwhile. */
function withCurrent<Row>(page: FirstPage<Row>, rows: readonly Row[], rowKey: RowKey<Row>): Page<Row> {
  if (page.read === undefined) return page;
  const current = new Map(rows.map((row) => [rowKey(row), row]));
  const data = page.data.map((row, index) => (index < (page.read ?? 0) ? row : (current.get(rowKey(row)) ?? row)));
  return { ...page, data };
}

function resetList<Row>(page: Page<Row>, at: number): ListState<Row> {
  return {
    rows: page.data,
    cursor: page.nextCursor,
    firstAt: at,
    grown: 0,
    searchedTo: page.searchedTo ?? null,
    apart: null,
  };
}

/** Resets the list to the stored first page. */
export function takeApart<Row>(list: ListState<Row>): ListState<Row> {
  return list.apart ? resetList(list.apart, list.firstAt) : list;
}

/** The state after a fetch of the next older page. Known rows are skipped. */
export function addPage<Row>(options: { list: ListState<Row>; page: Page<Row>; rowKey: RowKey<Row> }): ListState<Row> {
  const known = new Set(options.list.rows.map(options.rowKey));
  const added = options.page.data.filter((row) => !known.has(options.rowKey(row)));
  return {
    ...options.list,
    rows: [...options.list.rows, ...added],
    cursor: options.page.nextCursor,
    searchedTo: options.page.searchedTo ?? null,
  };
}

/** The state with updated rows; the same object if nothing changed. */
export function putRows<Row>(options: {
  list: ListState<Row>;
  fresh: readonly Row[];
  rowKey: RowKey<Row>;
}): ListState<Row> {
  const { list, rowKey } = options;
  const fresh = new Map(options.fresh.map((row) => [rowKey(row), row]));
  const rows = list.rows.map((row) => fresh.get(rowKey(row)) ?? row);
  return rows.some((row, index) => JSON.stringify(row) !== JSON.stringify(list.rows[index])) ? { ...list, rows } : list;
}

/** The number of rows on top that the reader has not seen: those above the first row that was shown before. */
export function countUnshown<Row>(options: {
  rows: readonly Row[];
  rowKey: RowKey<Row>;
  shownKeys: readonly string[];
}): number {
  const indexes = new Map(options.rows.map((row, index) => [options.rowKey(row), index]));
  for (const key of options.shownKeys) {
    const index = indexes.get(key);
    if (index !== undefined) return index;
  }
  return 0;
}

/**
 * The overlap of the fetched page and the known rows. `known`: the index of the last common row. `fresh`: the number of
 * rows above the first common one.
 */
function findJoint<Row>(
  rows: readonly Row[],
  fresh: readonly Row[],
  rowKey: RowKey<Row>,
): { known: number; fresh: number } | null {
  const indexes = new Map(rows.map((row, index) => [rowKey(row), index]));
  const met = fresh.map((row) => indexes.get(rowKey(row)));
  const deepest = met.findLast((index) => index !== undefined);
  return deepest === undefined ? null : { known: deepest, fresh: met.findIndex((index) => index !== undefined) };
}

/** Whether a page without common rows still has no gap to the list: it ended early, because the scan was bounded. */
function joinsUnseen<Row>(options: { list: ListState<Row>; page: Page<Row>; at: number; pageRows: number }): boolean {
  if (options.page.data.length === 0) return true;
  return options.page.data.length < options.pageRows && options.at - options.list.firstAt <= joinsWithinMs;
}
