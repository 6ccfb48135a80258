import { z } from "zod";
import { jsonSchema } from "./json.ts";
import { targetSchema } from "./project/target.ts";

const sums = {
  runs: z.int(),
  /** Of `runs`, those whose cost is known. */
  pricedRuns: z.int(),
  /** In and out together. */
  tokens: z.int(),
  /** US dollars, of `pricedRuns`. `null`: the cost of none is known. */
  costUsd: z.number().nullable(),
};

/** What runs of agents have used together. */
export const runsUsageSchema = z.object({
  ...sums,
  /** There are older runs, which were not looked at. */
  isCapped: z.boolean(),
  /** The same for each agent with any, the dearest first. */
  agents: z.array(z.object({ agent: z.string(), ...sums })),
});

export type RunsUsage = z.infer<typeof runsUsageSchema>;

export const runStatusSchema = z.enum(["queued", "running", "waiting", "completed", "failed", "canceled", "timed_out"]);
const startedBySchema = z.enum(["webhook", "form", "api", "cli", "replay", "failure"]);

export const runErrorSchema = z.object({ name: z.string(), message: z.string(), stack: z.string().nullable() });

/** One execution of a target, without payloads: what lists show. */
export const runSummarySchema = z.object({
  id: z.string(),
  status: runStatusSchema,
  trigger: z.string().nullable(),
  attachmentId: z.string().nullable(),
  target: targetSchema,
  deliveryId: z.string().nullable(),
  startedBy: startedBySchema,
  replayOf: z.string().nullable(),
  /** The failed run whose `onFailure` this run executes. */
  failureOf: z.string().nullable(),
  /** The newest replay of this run. */
  replayedAs: z.string().nullable(),
  /** The build that accepted the run, or with which it was last resumed. */
  version: z.string(),
  /** Counted from 1 over the whole life of the run. */
  attempt: z.number().int(),
  /** The number of the last attempt. A resume raises it, so that the limit counts from there. */
  maxAttempts: z.number().int(),
  /** What an agent's run has used so far, in and out; `null` for a workflow. */
  tokens: z.number().int().nullable(),
  /**
   * US dollars, of all calls of the model that were answered so far; `null` for a workflow, before the first answer,
   * and where the price of one is not known.
   */
  costUsd: z.number().nullable(),
  error: runErrorSchema.omit({ stack: true }).nullable(),
  createdAt: z.iso.datetime(),
  /** The last time a person resumed it after it had failed. */
  resumedAt: z.iso.datetime().nullable(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  /** Sensitive values are replaced by fakes. Absent: nothing is replaced. */
  isMasked: z.literal(true).optional(),
});

/** One run alone. */
export const runSchema = runSummarySchema.extend({
  payload: jsonSchema.nullable(),
  input: jsonSchema.nullable(),
  output: jsonSchema.nullable(),
  error: runErrorSchema.nullable(),
});

/** A step, a sleep or an approval of a run. */
export const runStepSchema = z.object({
  /** Unique in the run: the second step with the same name is `name#2`. */
  name: z.string(),
  kind: z.enum(["step", "sleep", "approval"]),
  /** The attempt that finished it, or that executes it. */
  attempt: z.int(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  /** The end of a sleep, the time at which an approval expires, or of the next try of a step. */
  until: z.iso.datetime().nullable(),
  /** The stored result of the step. `null`: it has not finished. For an approval: its request and decision. */
  result: jsonSchema.nullable(),
  /** The length of `result` as JSON; `null`: there is none yet. */
  resultBytes: z.int().nullable(),
});

export type RunStep = z.infer<typeof runStepSchema>;
export type RunStatus = z.infer<typeof runStatusSchema>;
export type StartedBy = z.infer<typeof startedBySchema>;
export type RunError = z.infer<typeof runErrorSchema>;
export type RunSummary = z.infer<typeof runSummarySchema>;
export type Run = z.infer<typeof runSchema>;
