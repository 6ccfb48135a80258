import { z } from "zod";
import { AppError } from "../../../contract/app-error.ts";
import type { Page, PageRequest } from "../../../contract/list.ts";

/** The end of a page: the time (UTC milliseconds) and id of its last row. */
export interface Position {
  at: number;
  id: string;
}

const positionSchema = z.tuple([z.int().min(0), z.string().min(1).max(200)]);

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.at, position.id])).toString("base64url");
}

/** Throws AppError `invalid_request` for anything but a cursor from encodeCursor. */
function decodeCursor(cursor: string, field: "cursor" | "newerThan"): Position {
  const parsed = positionSchema.safeParse(parseOrUndefined(Buffer.from(cursor, "base64url").toString("utf8")));
  if (!parsed.success || encodeCursor({ at: parsed.data[0], id: parsed.data[1] }) !== cursor) {
    throw new AppError("invalid_request", "The cursor is invalid. Start again without one.", {
      errors: [{ pointer: `/${field}`, code: "invalid_cursor", message: "Invalid cursor" }],
    });
  }
  return { at: parsed.data[0], id: parsed.data[1] };
}

/** Makes a page of rows. The caller has read one row more than `limit`, if there is one. */
export function toPage<Row, Shape>(
  rows: Row[],
  p: { limit: number; position: (row: Row) => Position; shape: (row: Row) => Shape },
): Page<Shape> {
  const shown = rows.slice(0, p.limit);
  const last = shown.at(-1);
  return {
    data: shown.map(p.shape),
    nextCursor: rows.length > p.limit && last ? encodeCursor(p.position(last)) : null,
  };
}

/** A row is added to its list this long after its time at most, or it is missing from requests with `newerThan`. */
const lateMs = 10_000;

/** The next `newerThan` after a page with this newest row. */
export function newestOf(first: Position | undefined, page: PageRequest): string | null {
  return first ? encodeCursor({ at: Math.max(0, first.at - lateMs), id: first.id }) : (page.newerThan ?? null);
}

/** Whether a row at this position is before the other one in a list. */
export function isBefore(one: Position, other: Position): boolean {
  return one.at > other.at || (one.at === other.at && one.id > other.id);
}

/**
 * `after`: the position after which the page starts; `null`: at the newest row. `newerThan`: the position before which
 * the list ends. Throws AppError `invalid_request`.
 */
export function readPageRequest(page: PageRequest): {
  limit: number;
  after: Position | null;
  newerThan: Position | undefined;
} {
  if (!Number.isInteger(page.limit) || page.limit < 1 || page.limit > 100) {
    throw new AppError("invalid_request", "limit must be an integer from 1 to 100.", {
      errors: [{ pointer: "/limit", code: "invalid_limit", message: "Must be an integer from 1 to 100" }],
    });
  }
  const { limit, cursor, newerThan } = page;
  return {
    limit,
    after: cursor === null ? null : decodeCursor(cursor, "cursor"),
    newerThan: newerThan === null || newerThan === undefined ? undefined : decodeCursor(newerThan, "newerThan"),
  };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
