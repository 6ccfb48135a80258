import { z } from "zod";
import { targetSchema } from "../../contract/target.ts";
import { parseJsonText } from "../../domain/json-text.ts";
import { startTargetRun } from "../../runs/start-target-run.ts";
import { startTriggerRuns } from "../../triggers/start-trigger-runs.ts";
import { procedure } from "../trpc.ts";
import { jsonText } from "./json-text.ts";

/**
 * Starts one target. `trigger`: the text is a payload that goes through this trigger's `request`, `filter` and
 * `transform`; else it is the target's input. `runId: null`: the trigger did not pass it on, as `verdicts` say.
 */
export const targetsRun = procedure
  .input(targetSchema.extend({ text: jsonText, trigger: z.string().optional() }).strict())
  .mutation(async ({ ctx, input: { text, trigger, ...target } }) => {
    const json = parseJsonText(text, ctx.maxBodyBytes);
    if (trigger === undefined)
      return { runId: (await startTargetRun(ctx, { target, input: json, startedBy: "form" })).id, verdicts: [] };
    const { runs, verdicts } = await startTriggerRuns(ctx, {
      slug: trigger,
      target: target.slug,
      body: json,
      startedBy: "form",
    });
    return { runId: runs[0]?.id ?? null, verdicts };
  });
