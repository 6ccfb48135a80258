import { z } from "zod";

/** A moment in ISO 8601, or a day, which begins in UTC. */
export const timestampSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: "Must be an ISO 8601 time, e.g. 2026-11-21T10:00:00Z",
});

/** Whether the API accepts a text as a time. */
export function isTimestamp(text: string): boolean {
  return timestampSchema.safeParse(text).success;
}

/** One page of a list: rows, and the opaque cursor of the next page, `null` at the end. */
export function pageSchema<Row extends z.ZodType>(row: Row) {
  return z.object({
    data: z.array(row).describe("The entries."),
    nextCursor: z.string().nullable().describe("The `cursor` of the next page. `null`: there is none."),
  });
}

/** A page of a list with filters. */
export function searchPageSchema<Row extends z.ZodType>(row: Row) {
  return pageSchema(row).extend({
    searchedTo: z.iso
      .datetime()
      .optional()
      .describe("Only of a page that ended early: the time back to which rows were searched."),
  });
}

export interface Page<Row> {
  data: Row[];
  nextCursor: string | null;
  /** Only of a page that ended early: the rows back to this time (ISO 8601) were searched. */
  searchedTo?: string | undefined;
  /** Only of a request with `newerThan`: its next value. `null`: the list is empty. */
  newest?: string | null | undefined;
}

/** UTC milliseconds of a moment. */
export function timestampMs(moment: string): number;
export function timestampMs(moment: string | undefined): number | undefined;
export function timestampMs(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}

/**
 * `limit` 1–100, newest first. An invalid cursor rejects with AppError `invalid_request`. Filters without an index
 * search for a limited time: such a page can be short or even empty, and its `nextCursor` continues from there. Only
 * `nextCursor: null` is the end.
 */
export interface PageRequest {
  limit: number;
  cursor: string | null;
  /**
   * `newest` of an earlier page of the same filter. The page then has only later rows, and repeats the last ten seconds
   * before, because rows can be added that late. `null`: all rows. Only for lists of runs and deliveries.
   */
  newerThan?: string | null;
  /** Aborted when the caller disconnects: the search ends, and the page is short. */
  signal?: AbortSignal | undefined;
}

/** The pages of a list, one after the other, as fast as they are read. */
export async function* readPages<P extends { nextCursor: string | null }>(
  readPage: (cursor: string | null) => Promise<P>,
): AsyncGenerator<P> {
  let cursor: string | null = null;
  do {
    const page: P = await readPage(cursor);
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
