import { z } from "zod";

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
