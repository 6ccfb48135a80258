import { z } from "zod";
import { timestampSchema } from "./list.ts";
import { targetKindSchema } from "./project/target.ts";
import { runStatusSchema } from "./run.ts";

/** The filter by which runs are listed, counted, and acted on in bulk, as JSON. */
export const runFilterSchema = z.strictObject({
  trigger: z.string().optional(),
  target: z.string().optional(),
  targetKind: targetKindSchema.optional(),
  status: runStatusSchema.optional(),
  delivery: z.string().optional(),
  version: z.string().optional(),
  replayOf: z.string().optional(),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
  text: z.string().min(1).max(200).optional(),
  minTokens: z.int().min(0).optional(),
  minCostUsd: z.number().min(0).optional(),
  needsApproval: z.literal(true).optional(),
  /** Only runs that failed or timed out and have no replay. */
  unresolved: z.literal(true).optional(),
});

export const runActionSchema = z.enum(["cancel", "resume", "replay"]);

/** The result of an action on several runs. */
const actedRunsSchema = z.object({
  /** The number of `runs`. */
  done: z.int(),
  /** The canceled, resumed or replayed runs. `replayedAs`: the new run of a replay. */
  runs: z.array(z.object({ id: z.string(), replayedAs: z.string().nullable() })),
  /** Runs that need nothing: resumed, replayed or ended in the meantime. */
  skipped: z.array(z.object({ id: z.string(), message: z.string() })),
  /** Runs that failed, each with the reason. */
  failed: z.array(z.object({ id: z.string(), message: z.string() })),
});

/** The result for the next runs of a filter. */
export const bulkPageSchema = actedRunsSchema.extend({
  /** For the next call; `null`: there are no more runs. */
  nextCursor: z.string().nullable(),
  /** For the next call: later runs are left alone. */
  until: z.iso.datetime(),
});

export type RunAction = z.infer<typeof runActionSchema>;
export type ActedRuns = z.infer<typeof actedRunsSchema>;
export type BulkPage = z.infer<typeof bulkPageSchema>;
