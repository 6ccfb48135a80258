import { z } from "zod";
import { id, runId } from "../fields.ts";
import { stepCallSchema } from "./manifest.ts";
import { versionPolicySchema } from "./options.ts";
import { targetSchema } from "./target.ts";

export const buildSchema = z.object({
  /** The version of its runs. */
  id,
  builtAt: z.iso.datetime().nullable().describe("When it was built. `null`: this machine does not keep it."),
  isCurrent: z.boolean().describe("Whether new runs start with it."),
  openRuns: z.int().describe("Number of open runs that it accepted."),
});

export const buildsSchema = z.object({
  data: z.array(buildSchema).describe("The entries."),
  previous: z
    .string()
    .nullable()
    .describe("Id of the build before the current one, the target of a rollback. `null`: there is none."),
  canRollBack: z.boolean().describe("Whether a rollback is possible. `signalbox dev` always serves the newest build."),
});

/** The parts of a build that open runs have to fit. */
export const buildOutlineSchema = z.strictObject({
  id: z.string().describe("Id of the build."),
  triggers: z.array(z.string()).describe("Its attachment ids."),
  targets: z
    .array(
      z.strictObject({
        target: targetSchema.describe("The workflow or agent."),
        steps: z.array(stepCallSchema).describe("The calls of `ctx.step` and `ctx.sleep` in its code."),
        versions: versionPolicySchema.describe("The build on which its open runs continue."),
      }),
    )
    .describe("Its workflows and agents."),
});

/** An open run that does not fit a build. */
export const misfitSchema = z.object({
  runId,
  target: targetSchema,
  build: z.string().describe("Id of the build that accepted the run."),
  problem: z.enum(["target", "trigger", "input", "step"]).describe("What the checked build lacks or rejects."),
  detail: z.string().describe("The same in words."),
  /** The build on which it continues once the other build is current: that build, if the accepting one is gone. */
  continuesOn: z.string().describe("Id of the build on which the run would continue."),
});

export const openRunCheckSchema = z.object({
  openRuns: z.int().describe("Number of open runs."),
  checkedRuns: z.int().describe("Number of those that were compared: the oldest, if there are very many."),
  uncheckedInputs: z
    .int()
    .describe(
      "Number of these whose input was not checked, because this service does not have the build or cannot load its code.",
    ),
  misfits: z.int().describe("Number of runs that do not fit."),
  failing: z.int().describe("Number of these that would continue on the checked build, and fail."),
  data: z.array(misfitSchema).describe("The first runs that do not fit. Those that would fail come first."),
  neededBuilds: z.array(z.string()).describe("Ids of the builds that accepted open runs."),
});

export type Build = z.infer<typeof buildSchema>;
export type BuildList = z.infer<typeof buildsSchema>;
export type BuildOutline = z.infer<typeof buildOutlineSchema>;
export type Misfit = z.infer<typeof misfitSchema>;
export type OpenRunCheck = z.infer<typeof openRunCheckSchema>;
