import { targetSchema } from "../../contract/target.ts";
import { parseJsonText } from "../../domain/json-text.ts";
import { startTargetRun } from "../../runs/start-target-run.ts";
import { procedure } from "../trpc.ts";
import { jsonText } from "./json-text.ts";

export const targetsRun = procedure.input(targetSchema.extend({ text: jsonText }).strict()).mutation(async ({ ctx, input: { text, ...target } }) => {
  const run = await startTargetRun(ctx, { target, input: parseJsonText(text, ctx.maxBodyBytes), startedBy: "form" });
  return { runId: run.id };
});
