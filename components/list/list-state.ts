import type { Page } from "../../server/contract/page.ts";

/** What a live list knows: rows without gaps from the newest one down, and where the older ones go on. */
export interface ListState<Row> {
  rows: readonly Row[];
  /** Of the page below the last row; `null` at the end. */
  cursor: string | null;
  /** When the first page was read that the rows contain. */
  firstAt: number;
  /** How many rows came on top since the list was begun. */
  grown: number;
  /** How many pages in a row brought nothing: a filter that few rows pass. */
  emptyPages: number;
  /** A first page that does not join the rows, kept until the reader asks for it. */
  apart: Page<Row> | null;
}

type RowKey<Row> = (row: Row) => string;

/** A list that grew by more than this begins anew when the reader looks at its top, or it would grow for ever. */
const maxGrown = 500;

/** A first page that bounded looking made short, read again within this time, cannot have jumped over rows. */
const joinsWithinMs = 15_000;

/** The state after the first page was read (again): new rows on top, known ones as they are now, gone ones gone. */
export function takeFirst<Row>(p: {
  list: ListState<Row> | undefined;
  page: Page<Row>;
  at: number;
  rowKey: RowKey<Row>;
  pageRows: number;
}): ListState<Row> {
  const { list, page, at, rowKey } = p;
  if (!list) return beginList(page, at);
  if (at <= list.firstAt) return list;
  if (page.nextCursor === null) return beginList(page, at);
  const joint = findJoint(list.rows, page.data, rowKey);
  if (joint === null && !joinsUnseen({ list, page, at, pageRows: p.pageRows }))
    return list.rows.length === 0 ? beginList(page, at) : { ...list, firstAt: at, apart: page };
  const known = new Set(page.data.map(rowKey));
  const rest = list.rows.slice(joint === null ? 0 : joint.known + 1).filter((row) => !known.has(rowKey(row)));
  const grown = list.grown + (joint?.fresh ?? page.data.length);
  if (grown > maxGrown) return { ...list, firstAt: at, apart: page };
  return { ...list, rows: [...page.data, ...rest], firstAt: at, grown, apart: null };
}

function beginList<Row>(page: Page<Row>, at: number): ListState<Row> {
  return {
    rows: page.data,
    cursor: page.nextCursor,
    firstAt: at,
    grown: 0,
    emptyPages: page.data.length === 0 ? 1 : 0,
    apart: null,
  };
}

/** The list begun anew with the page that was kept apart. */
export function takeApart<Row>(list: ListState<Row>): ListState<Row> {
  return list.apart ? beginList(list.apart, list.firstAt) : list;
}

/** The state after the page below the last row was read. A row that is known already has moved up meanwhile. */
export function addPage<Row>(p: { list: ListState<Row>; page: Page<Row>; rowKey: RowKey<Row> }): ListState<Row> {
  const known = new Set(p.list.rows.map(p.rowKey));
  const added = p.page.data.filter((row) => !known.has(p.rowKey(row)));
  return {
    ...p.list,
    rows: [...p.list.rows, ...added],
    cursor: p.page.nextCursor,
    emptyPages: added.length === 0 ? p.list.emptyPages + 1 : 0,
  };
}

/** The state with some of its rows as they are now; the same object where nothing is new. */
export function putRows<Row>(p: { list: ListState<Row>; fresh: readonly Row[]; rowKey: RowKey<Row> }): ListState<Row> {
  const fresh = new Map(p.fresh.map((row) => [p.rowKey(row), row]));
  const rows = p.list.rows.map((row) => fresh.get(p.rowKey(row)) ?? row);
  return rows.some((row, index) => JSON.stringify(row) !== JSON.stringify(p.list.rows[index]))
    ? { ...p.list, rows }
    : p.list;
}

/** How many rows on top the reader has not been shown: those above the first one that was shown before. */
export function countUnshown<Row>(p: {
  rows: readonly Row[];
  rowKey: RowKey<Row>;
  shownKeys: readonly string[];
}): number {
  const places = new Map(p.rows.map((row, index) => [p.rowKey(row), index]));
  for (const key of p.shownKeys) {
    const place = places.get(key);
    if (place !== undefined) return place;
  }
  return 0;
}

/**
 * Where the fresh page meets the known rows: its deepest row that is known. `fresh`: how many rows stand above the
 * first known one.
 */
function findJoint<Row>(
  rows: readonly Row[],
  fresh: readonly Row[],
  rowKey: RowKey<Row>,
): { known: number; fresh: number } | null {
  const places = new Map(rows.map((row, index) => [rowKey(row), index]));
  const met = fresh.map((row) => places.get(rowKey(row)));
  const deepest = met.findLast((place) => place !== undefined);
  return deepest === undefined ? null : { known: deepest, fresh: met.findIndex((place) => place !== undefined) };
}

/**
 * Whether a page that shares no row with the list joins it all the same: one that ended early, for it looked through no
 * more rows.
 */
function joinsUnseen<Row>(p: { list: ListState<Row>; page: Page<Row>; at: number; pageRows: number }): boolean {
  if (p.page.data.length === 0) return true;
  return p.page.data.length < p.pageRows && p.at - p.list.firstAt <= joinsWithinMs;
}
