import { z } from "zod";

/** One page of a list: rows, and the opaque cursor of the next page, `null` at the end. */
export function pageSchema<Row extends z.ZodType>(row: Row) {
  return z.object({ data: z.array(row), nextCursor: z.string().nullable() });
}

export interface Page<Row> {
  data: Row[];
  nextCursor: string | null;
}
