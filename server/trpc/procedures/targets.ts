import { z } from "zod";
import { givenKeySchema } from "../../contract/project/run-key.ts";
import { targetSchema } from "../../contract/project/target.ts";
import { parseJsonText } from "../../domain/requests/request-body.ts";
import { getTarget, recentInputs } from "../../runs/get-target.ts";
import { startTargetRun } from "../../runs/start-run.ts";
import { bigintsFor } from "../../triggers/find-triggers.ts";
import { startTriggerRuns } from "../../triggers/start-trigger-runs.ts";
import { procedure, router } from "../trpc.ts";
import { jsonText } from "./input-schemas.ts";

export const targetsRouter = router({
  get: procedure("getTarget")
    .input(targetSchema.strict())
    .query(({ ctx, input }) => getTarget(ctx, input)),

  recentInputs: procedure("listRecentInputs")
    .input(targetSchema.strict())
    .query(({ ctx, input }) => recentInputs(ctx, input)),

  /**
   * Starts one target with an input. With `trigger`, the text is a payload for the `request`, `filter` and `transform`
   * of this trigger. `runId: null`: the trigger does not match, and `verdicts` has the reasons.
   */
  run: procedure("startTarget")
    .input(
      targetSchema.extend({ text: jsonText, trigger: z.string().optional(), key: givenKeySchema.optional() }).strict(),
    )
    .mutation(async ({ ctx, input: { text, trigger, key, ...target } }) => {
      const bigints = trigger === undefined ? "number" : bigintsFor(ctx.project.current(), { trigger });
      const json = parseJsonText(text, ctx.maxBodyBytes, bigints);
      const { runs, verdicts } =
        trigger === undefined
          ? { ...(await startTargetRun(ctx, { target, input: json, key, startedBy: "form" })), verdicts: [] }
          : await startTriggerRuns(ctx, { slug: trigger, target: target.slug, body: json, key, startedBy: "form" });
      return { runId: runs[0]?.runId ?? null, verdicts };
    }),
});
