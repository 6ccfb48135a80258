import { z } from "zod";

/** As in REST: 1–100 rows, and the cursor of the page before. */
export const paging = {
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().max(512).nullish(),
};
