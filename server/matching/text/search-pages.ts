import type { Page, PageRequest } from "../../contract/list.ts";
import type { Run } from "../../contract/run.ts";
import type { DeliveryStore } from "../../ports/store/delivery-store.ts";
import { listBudget } from "../../domain/list-budget.ts";
import { textNeedles } from "./text-needles.ts";

/** After this time, a page that is half full ends. */
const halfFullMs = 200;
const portionRows = 100;

interface SearchedList<Row> {
  /** The rows without the search. */
  read: (page: PageRequest) => Promise<Page<Row>>;
  /** The rows with the text, in the same order. */
  matching: (rows: readonly Row[]) => Promise<Row[]>;
  /** ISO 8601. */
  timeOf: (row: Row) => string;
}

/**
 * Searches rows whose text the database cannot read, or must not decide by: in portions, for a limited time. As with
 * other slow filters, a page can be short or empty, and its cursor continues after the last row. A page depends on
 * nothing but the order of the rows and on those that match.
 */
export async function searchPages<Row extends { id: string }>(
  list: SearchedList<Row>,
  page: PageRequest,
): Promise<Page<Row>> {
  const { limit, signal } = page;
  const began = performance.now();
  const rows: Row[] = [];
  let first: Page<Row> | null = null;
  let searchedTo: string | undefined;
  for (let { cursor } = page; ;) {
    const wanted = limit - rows.length;
    // New rows move those of the first portion: it has no more rows than fit.
    const portion = { ...page, cursor, limit: cursor === null ? wanted : portionRows };
    const read: Page<Row> = await list.read(portion);
    first ??= read;
    const found = await list.matching(read.data);
    rows.push(...found.slice(0, wanted));
    const last = rows[limit - 1];
    const newest = first.newest === undefined ? {} : { newest: first.newest };
    if (found.length > wanted && last)
      return { data: rows, nextCursor: await cursorAfter(list, portion, { row: last, rows: read.data }), ...newest };
    const scanned = read.data.at(-1);
    searchedTo = scanned ? list.timeOf(scanned) : (read.searchedTo ?? searchedTo);
    cursor = read.nextCursor;
    const spentMs = performance.now() - began;
    const isOver = spentMs > listBudget.emptyPageMs || (spentMs > halfFullMs && rows.length * 2 >= limit);
    if (cursor !== null && rows.length < limit && !isOver && !signal?.aborted) continue;
    return {
      data: rows,
      nextCursor: cursor,
      ...(cursor !== null && rows.length < limit && searchedTo !== undefined && { searchedTo }),
      ...newest,
    };
  }
}

/** The cursor that continues after a row of a portion: that of a shorter portion, which ends with it. */
async function cursorAfter<Row extends { id: string }>(
  { read }: SearchedList<Row>,
  portion: PageRequest,
  { row, rows }: { row: Row; rows: readonly Row[] },
): Promise<string | null> {
  let count = rows.findIndex(({ id }) => id === row.id) + 1;
  for (;;) {
    const { data, nextCursor } = await read({ ...portion, limit: count });
    const at = data.findIndex(({ id }) => id === row.id) + 1;
    // Retention has removed rows in between, or this row.
    if (at === data.length || at === 0) return nextCursor;
    count = at;
  }
}

/** The portions in which content is read. Each row can have megabytes. */
const portionBytes = 8 * 1024 * 1024;
const rowsAtOnce = 10;

/** The rows that match, in the same order. */
export async function filterRows<Row>(rows: readonly Row[], isMatch: (row: Row) => Promise<boolean>): Promise<Row[]> {
  const matches: Row[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce);
    const found = await Promise.all(some.map(isMatch));
    matches.push(...some.filter((_, index) => found[index]));
  }
  return matches;
}

/** Finds the deliveries whose body has the text. */
export function bodiesWith(
  store: Pick<DeliveryStore, "getDeliveryBodies">,
  hasText: ReturnType<typeof createTextSearch>,
): <Row extends { id: string; bodyBytes: number }>(rows: readonly Row[]) => Promise<Row[]> {
  return async (rows) => {
    const matches = new Set<string>();
    for (const portion of inPortions(rows)) {
      const bodies = await store.getDeliveryBodies(portion.map(({ id }) => id));
      for (const [id, body] of bodies) if (body && hasText([body])) matches.add(id);
    }
    return rows.filter(({ id }) => matches.has(id));
  };
}

function inPortions<Row extends { bodyBytes: number }>(rows: readonly Row[]): Row[][] {
  const portions: Row[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (bytes + row.bodyBytes > portionBytes) {
      portions.push([]);
      bytes = 0;
    }
    portions.at(-1)?.push(row);
    bytes += row.bodyBytes;
  }
  return portions;
}

/** What a search of a run reads. */
export function textsOf({ payload, input }: Pick<Run, "payload" | "input">): string[] {
  return [payload, input].filter((value) => value !== null).map((value) => JSON.stringify(value));
}

/** Whether texts contain the searched one. As in the database: ASCII letters match in either case. */
export function createTextSearch(text: string): (texts: readonly (Uint8Array | string)[]) => boolean {
  const needles = textNeedles(text);
  return (texts) =>
    texts.some((one) => {
      const bytes = lowerAscii(typeof one === "string" ? Buffer.from(one) : Buffer.from(one));
      return needles.some((needle) => bytes.includes(needle));
    });
}

/** Changes the buffer. */
function lowerAscii(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x41 && byte <= 0x5a) bytes[at] = byte + 0x20;
  }
  return bytes;
}
