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
function decodeCursor(cursor: string): Position {
  const parsed = positionSchema.safeParse(parseOrUndefined(Buffer.from(cursor, "base64url").toString("utf8")));
  if (!parsed.success || encodeCursor({ at: parsed.data[0], id: parsed.data[1] }) !== cursor) {
    throw new AppError("invalid_request", "The cursor is invalid. Start again without one.", {
      errors: [{ pointer: "/cursor", code: "invalid_cursor", message: "Invalid cursor" }],
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

/** The position after which the page starts; `null`: at the newest row. Throws AppError `invalid_request`. */
export function readPageRequest(page: PageRequest): { limit: number; after: Position | null } {
  if (!Number.isInteger(page.limit) || page.limit < 1 || page.limit > 100) {
    throw new AppError("invalid_request", "limit must be an integer from 1 to 100.", {
      errors: [{ pointer: "/limit", code: "invalid_limit", message: "Must be an integer from 1 to 100" }],
    });
  }
  return { limit: page.limit, after: page.cursor === null ? null : decodeCursor(page.cursor) };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
