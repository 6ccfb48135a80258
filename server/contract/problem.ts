import { z } from "zod";
import { message, pointer } from "./fields.ts";

/** One schema failure inside a problem. */
export const problemErrorSchema = z.object({
  pointer,
  code: z.string().describe("The kind of the error, e.g. `invalid_type`."),
  message,
});

/** An RFC 9457 problem. `type` is a path on this service that explains the problem; `code` is its last segment. */
export const problemSchema = z.object({
  type: z.string().describe("Path of the page that explains the problem: `/errors/<code>`."),
  title: z.string().describe("A noun phrase, the same for all problems with this code."),
  status: z.number().int().describe("The HTTP status."),
  code: z.string().describe("What happened, e.g. `not_found`. Stable, unlike the texts."),
  detail: z.string().describe("What is wrong, and where."),
  errors: z
    .array(problemErrorSchema)
    .max(20)
    .optional()
    .describe("The invalid values, at most 20. Absent: the problem is not about values."),
});

export type ProblemError = z.infer<typeof problemErrorSchema>;
export type Problem = z.infer<typeof problemSchema>;
