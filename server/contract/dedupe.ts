import { z } from "zod";

/**
 * What names an event at an endpoint, and how long it is remembered: `header` is in lower case, `field` a JSON Pointer;
 * without both, the usual headers and the signature count.
 */
export const dedupeSchema = z.object({
  header: z.string().nullable(),
  field: z.string().nullable(),
  windowMs: z.int().min(1),
});

export type Dedupe = z.infer<typeof dedupeSchema>;
