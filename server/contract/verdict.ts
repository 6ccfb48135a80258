import { z } from "zod";
import { targetSchema } from "./target.ts";

/** One validation issue of a body: a JSON Pointer, Zod's code, and the expected and actual value. */
export const reasonSchema = z.object({
  pointer: z.string(),
  code: z.string(),
  message: z.string(),
  expected: z.string().nullable(),
  actual: z.string().nullable(),
});

export const verdictOutcomeSchema = z.enum(["matched", "request_mismatch", "filter_mismatch", "disabled"]);

/** What one trigger decided about one delivery. */
export const verdictSchema = z.object({
  trigger: z.string(),
  attachmentId: z.string(),
  target: targetSchema,
  outcome: verdictOutcomeSchema,
  runId: z.string().nullable(),
  reasons: z.array(reasonSchema),
});

export type Reason = z.infer<typeof reasonSchema>;
export type VerdictOutcome = z.infer<typeof verdictOutcomeSchema>;
export type Verdict = z.infer<typeof verdictSchema>;
