import { z } from "zod";
import { concurrencyChoices } from "./project/options.ts";
import { targetKindSchema } from "./project/target.ts";

/** The runs of one target, and the limits that are tried on them. */
export const flowSimulationOptionsSchema = z.strictObject({
  targetKind: targetKindSchema.describe("Whether it is a workflow or an agent. Default: `workflow`.").optional(),
  limit: z.int().min(1).describe("Maximum number of concurrent runs. Default: no limit.").optional(),
  perKey: z.int().min(1).describe("Maximum number of concurrent runs with the same key. Default: no limit.").optional(),
  onFailure: concurrencyChoices.onFailure
    .describe(
      "`block`, with `perKey`: counts the runs that a failed run of their key would block. Default: `continue`.",
    )
    .optional(),
  days: z.int().min(1).max(90).describe("The runs of the last days are used. Default: 7.").optional(),
});

const waitTimesSchema = z.object({
  p50Ms: z.number().describe("Median, in milliseconds."),
  p95Ms: z.number().describe("95th percentile, in milliseconds."),
  maxMs: z.number().describe("Longest wait, in milliseconds."),
});

/** What recorded runs would have waited for, by other limits. */
export const flowSimulationSchema = z.object({
  runs: z.int().describe("Number of recorded runs that were simulated."),
  runsWithoutKey: z.int().describe("Number of these runs without a key: limits per key do not apply to them."),
  isCapped: z.boolean().describe("There are more runs: only the newest 100,000 were simulated."),
  waits: waitTimesSchema.describe("Simulated waits. They are only for the limits: there is always a free worker."),
  recordedWaits: waitTimesSchema.describe("How long the same runs have waited until they started."),
  delayed: z.int().describe("Number of runs that the limits would delay."),
  maxConcurrent: z.int().describe("Maximum number of runs at a time."),
  busiestKeys: z
    .array(
      z.object({
        key: z.string().describe("The key."),
        runs: z.int().describe("Number of its runs."),
        waitMs: z.number().describe("Sum of their waits, in milliseconds."),
        maxWaitMs: z.number().describe("Longest wait, in milliseconds."),
        maxQueued: z.int().describe("Maximum number of runs that would wait for the key at a time."),
      }),
    )
    .describe("Up to ten keys, the longest sum of waits first."),
  blockedKeys: z.int().describe("Number of keys that a failed run would block until a person decides."),
  blocks: z
    .array(
      z.object({
        key: z.string().describe("The key."),
        runId: z.string().describe("Id of the failed run."),
        failedAt: z.iso.datetime().describe("When it would have failed."),
        runs: z.int().describe("Number of recorded runs that would wait for the decision."),
      }),
    )
    .describe("Up to ten of these keys, the most waiting runs first."),
});

export type WaitTimes = z.infer<typeof waitTimesSchema>;
export type FlowSimulation = z.infer<typeof flowSimulationSchema>;
export type FlowSimulationOptions = z.output<typeof flowSimulationOptionsSchema>;
