import type { Page, PageRequest } from "../../contract/list.ts";
import { listBudget } from "../shared/lists/read-list.ts";
import { textNeedles } from "../shared/lists/text-needles.ts";

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
 * Searches rows whose text the database cannot read: in portions, for a limited time. As with other slow filters, a
 * page can be short or empty, and its cursor continues after the last row.
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
