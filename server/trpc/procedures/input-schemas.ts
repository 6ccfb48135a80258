import { z } from "zod";
import type { PageRequest } from "../../contract/list.ts";

/** A search string for bodies and inputs. */
export const searchText = z.string().min(1).max(200);

/**
 * JSON that a person wrote, as a string: nothing is lost, and errors have a line and a column. Its size is limited when
 * it is parsed.
 */
export const jsonText = z.string();

/** As in REST: 1–100 rows, and the cursor of the previous page. */
export const paging = { limit: z.int().min(1).max(100).default(20), cursor: z.string().max(512).nullish() };

export function toPage(p: { limit: number; cursor?: string | null | undefined }): PageRequest {
  return { limit: p.limit, cursor: p.cursor ?? null };
}
