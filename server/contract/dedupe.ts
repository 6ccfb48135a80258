import { z } from "zod";

/** What names an event at an endpoint, and how long it is remembered: one of `header` (in lower case) and `field` (a JSON pointer) is there. */
export const dedupeSchema = z.object({ header: z.string().nullable(), field: z.string().nullable(), windowMs: z.int().min(1) });

export type Dedupe = z.infer<typeof dedupeSchema>;
