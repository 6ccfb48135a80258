import { z } from "zod";
import { parseJsonText } from "../../domain/json-text.ts";
import { type ReplayChange, replayRun } from "../../runs/replay-run.ts";
import { procedure } from "../trpc.ts";
import { jsonText } from "./json-text.ts";

const changeSchema = z.union([z.strictObject({ payload: jsonText }), z.strictObject({ input: jsonText })]);

/** The same again, or with an edited payload for the trigger, or an edited input for the target. */
export const runsReplay = procedure
  .input(z.strictObject({ id: z.string(), change: changeSchema.optional() }))
  .mutation(async ({ ctx, input: { id, change } }) => {
    const run = await replayRun(ctx, { id, change: change ? parseChange(change, ctx.maxBodyBytes) : null });
    return { runId: run.id };
  });

function parseChange(change: z.infer<typeof changeSchema>, maxBytes: number): ReplayChange {
  return "payload" in change
    ? { payload: parseJsonText(change.payload, maxBytes) }
    : { input: parseJsonText(change.input, maxBytes) };
}
