import { z } from "zod";
import type { PageRequest } from "../../ports/store.ts";

const cursor = z.string().max(512).nullish();

/** As in REST: 1–100 rows, and the cursor of the page before. */
export const paging = { limit: z.int().min(1).max(100).default(20), cursor };

export function toPage(p: { limit: number; cursor?: string | null | undefined }): PageRequest {
  return { limit: p.limit, cursor: p.cursor ?? null };
}
