import { z } from "zod";
import { id, message } from "./fields.ts";

export const runActionSchema = z.enum(["cancel", "resume", "replay"]);

/** The result of an action on several runs. */
const actedRunsSchema = z.object({
  done: z.int().describe("Number of `runs`."),
  runs: z
    .array(
      z.object({ id, replayedAs: z.string().nullable().describe("Id of the new run of a replay. Otherwise `null`.") }),
    )
    .describe("The canceled, resumed or replayed runs."),
  skipped: z
    .array(z.object({ id, message }))
    .describe("Runs that need nothing: they were resumed, replayed or ended in the meantime."),
  failed: z.array(z.object({ id, message })).describe("Runs that failed, each with the reason."),
});

/** The result for the next runs of a filter. */
export const bulkPageSchema = actedRunsSchema.extend({
  nextCursor: z.string().nullable().describe("The `cursor` of the next page. `null`: there is none."),
  until: z.iso.datetime().describe("For the next call: later runs are left alone."),
});

export type RunAction = z.infer<typeof runActionSchema>;
export type ActedRuns = z.infer<typeof actedRunsSchema>;
export type BulkPage = z.infer<typeof bulkPageSchema>;
