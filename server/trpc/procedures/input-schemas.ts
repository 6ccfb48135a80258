import { z } from "zod";
import type { PageRequest } from "../../contract/list.ts";

/**
 * JSON that a person wrote, as a string: nothing is lost, and errors have a line and a column. Its size is limited when
 * it is parsed.
 */
export const jsonText = z.string();

/** As in REST: 1–100 rows, and the cursor of the previous page. */
export const paging = { limit: z.int().min(1).max(100).default(20), cursor: z.string().max(512).nullish() };

/** Of a list that grows: `newerThan` is `newest` of an earlier page. */
export const livePaging = { ...paging, newerThan: paging.cursor };

export function toLivePage({
  newerThan,
  ...page
}: Parameters<typeof toPage>[0] & Pick<PageRequest, "newerThan">): PageRequest {
  return { ...toPage(page), newerThan: newerThan ?? null };
}

export function toPage(p: { limit: number; cursor?: string | null | undefined }): PageRequest {
  return { limit: p.limit, cursor: p.cursor ?? null };
}
