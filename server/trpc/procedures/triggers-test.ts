import { z } from "zod";
import { parseJsonText } from "../../domain/json-text.ts";
import { startTriggerRuns } from "../../triggers/start-trigger-runs.ts";
import { procedure } from "../trpc.ts";
import { jsonText } from "./json-text.ts";

/** Sends a trigger an event by hand. No runs: the filter does not hold, as the verdicts say. */
export const triggersTest = procedure.input(z.strictObject({ trigger: z.string(), text: jsonText })).mutation(async ({ ctx, input }) => {
  const { runs, verdicts } = await startTriggerRuns(ctx, { slug: input.trigger, body: parseJsonText(input.text, ctx.maxBodyBytes), startedBy: "form" });
  return { runs: runs.map(({ id, target }) => ({ runId: id, target })), verdicts };
});
