import { z } from "zod";

/** One schema failure inside a problem. */
export const problemErrorSchema = z.object({ pointer: z.string(), code: z.string(), message: z.string() });

/** An RFC 9457 problem. `type` is a path on this service that explains the problem; `code` is its last segment. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  errors: z.array(problemErrorSchema).max(20).optional(),
});

export type ProblemError = z.infer<typeof problemErrorSchema>;
export type Problem = z.infer<typeof problemSchema>;
