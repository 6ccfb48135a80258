import { z } from "zod";
import { stepCallSchema, versionPolicySchema } from "./manifest.ts";
import { targetSchema } from "./target.ts";

export const buildSchema = z.object({
  /** The version of its runs. */
  id: z.string(),
  /** `null`: this machine does not keep the build any more. */
  builtAt: z.iso.datetime().nullable(),
  isCurrent: z.boolean(),
  /** Open runs that it accepted. */
  openRuns: z.int(),
});

export const buildsSchema = z.object({
  data: z.array(buildSchema),
  /** The build before the current one: the target of a rollback. `null`: there is none. */
  previous: z.string().nullable(),
  /** Not in development, where the newest build is always served. */
  canRollBack: z.boolean(),
});

/** The parts of a build that open runs have to fit. */
export const buildOutlineSchema = z.strictObject({
  /** The version of the build. */
  id: z.string(),
  /** Attachment ids. */
  triggers: z.array(z.string()),
  targets: z.array(
    z.strictObject({
      target: targetSchema,
      steps: z.array(stepCallSchema),
      versions: versionPolicySchema,
    }),
  ),
});

/** An open run that does not fit a build. */
export const misfitSchema = z.object({
  runId: z.string(),
  target: targetSchema,
  /** The build that accepted it. */
  build: z.string(),
  /** What the other build lacks or rejects. */
  problem: z.enum(["target", "trigger", "input", "step"]),
  detail: z.string(),
  /** The build on which it continues once the other build is current: that build, if the accepting one is gone. */
  continuesOn: z.string(),
});

export const openRunCheckSchema = z.object({
  openRuns: z.int(),
  /** The oldest ones, if there are very many. */
  checkedRuns: z.int(),
  /**
   * How many of these have an input that was not checked. This service does not have the build, or cannot load one of
   * its modules.
   */
  uncheckedInputs: z.int(),
  /** The number of runs that do not fit. */
  misfits: z.int(),
  /** How many of these would continue on the checked build: they would fail. */
  failing: z.int(),
  /** The first of them. Those that would fail come first. */
  data: z.array(misfitSchema),
  /** The builds that accepted open runs. */
  neededBuilds: z.array(z.string()),
});

export type Build = z.infer<typeof buildSchema>;
export type BuildList = z.infer<typeof buildsSchema>;
export type BuildOutline = z.infer<typeof buildOutlineSchema>;
export type Misfit = z.infer<typeof misfitSchema>;
export type OpenRunCheck = z.infer<typeof openRunCheckSchema>;
