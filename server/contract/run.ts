import { z } from "zod";
import { id, isMasked, startedAt } from "./fields.ts";
import { jsonSchema } from "./json.ts";
import { targetSchema } from "./project/target.ts";

const sums = {
  runs: z.int().describe("Number of runs of agents."),
  pricedRuns: z.int().describe("Number of these runs whose cost is known."),
  tokens: z.int().describe("Input and output tokens together."),
  costUsd: z.number().nullable().describe("Cost of `pricedRuns` in US dollars. `null`: the cost of none is known."),
};

/** What runs of agents have used together. */
export const runsUsageSchema = z.object({
  ...sums,
  isCapped: z.boolean().describe("There are more than were counted."),
  agents: z
    .array(z.object({ agent: z.string().describe("Slug of the agent."), ...sums }))
    .describe("The same for each agent, the most expensive first."),
});

export type RunsUsage = z.infer<typeof runsUsageSchema>;

export const runStatusSchema = z.enum(["queued", "running", "waiting", "completed", "failed", "canceled", "timed_out"]);
const startedBySchema = z.enum(["webhook", "form", "api", "cli", "replay", "failure", "parent"]);

export const runErrorSchema = z.object({
  name: z.string().describe("Name of the error, e.g. `TypeError`."),
  message: z.string().describe("Message of the error."),
  stack: z.string().nullable().describe("Stack with the lines of the source files. `null`: the error had none."),
});

/** The values that the payload of an event must have, by JSON Pointer. */
export const eventMatchSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .describe("The values that its payload must have, by JSON Pointer.");

const awaitedEventSchema = z.object({ source: z.string().describe("Slug of the source."), match: eventMatchSchema });

/** The `data` of the timeline entries `wait_started` and `wait_finished`. */
export const waitStartedSchema = z.object({ events: z.array(awaitedEventSchema) });
export const waitFinishedSchema = z.object({ deliveryId: z.string(), source: z.string() });

/** The `data` of the timeline entries `child_started` and `child_finished`. */
export const childStartedSchema = z.object({ runId: z.string(), target: targetSchema, isAwaited: z.boolean() });
export const childFinishedSchema = z.object({ runId: z.string(), status: runStatusSchema });

/** Why a run does not continue: it is due and does not start, or it waits for an event. */
const runWaitSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("key").describe("Another run with the same key must end first."),
    runId: z.string().nullable().describe("Id of the run that must end. `null`: the reader may not see it."),
    isBlocked: z
      .boolean()
      .describe("That run has failed: the key is blocked until it is resumed, replayed or canceled."),
  }),
  z.object({
    kind: z.literal("concurrency").describe("The workflow or agent has reached its limit of concurrent runs."),
    limit: z.int().describe("Maximum number of concurrent runs."),
    counted: z.int().describe("Number of runs that count towards the limit now."),
  }),
  z.object({
    kind: z.literal("event").describe("A webhook of a source must be received."),
    step: z.string().describe("Name of the wait."),
    events: z.array(awaitedEventSchema).describe("The events that end the wait. The first one does."),
    until: z.iso.datetime().describe("When the wait times out."),
  }),
  z.object({
    kind: z.literal("child").describe("A child run must end."),
    runId: z.string().describe("Id of the child run, or of the oldest one."),
    count: z.int().describe("Number of child runs that must end."),
  }),
]);

/** One execution of a target, without payloads: what lists show. */
export const runSummarySchema = z.object({
  id,
  status: runStatusSchema.describe(
    "`queued`, `running`, `waiting` (for a retry, a sleep, an event, a child run or an approval), or how it ended.",
  ),
  trigger: z
    .string()
    .nullable()
    .describe("Slug of the trigger that started the run. `null`: it was started without a trigger."),
  attachmentId: z
    .string()
    .nullable()
    .describe("Id of the trigger with its target. `null`: it was started without a trigger."),
  target: targetSchema,
  deliveryId: z.string().nullable().describe("Id of the delivery that started the run. `null`: no webhook started it."),
  startedBy: startedBySchema.describe(
    "What started the run. `failure`: it executes `onFailure` of another run. `parent`: another run called or started it.",
  ),
  replayOf: z.string().nullable().describe("Id of the run that it replays. `null`: it is no replay."),
  failureOf: z
    .string()
    .nullable()
    .describe("Id of the failed run whose `onFailure` it executes. `null`: it executes `run`."),
  childOf: z.string().nullable().describe("Id of its parent: the run that called or started it. `null`: it has none."),
  replayedAs: z.string().nullable().describe("Id of the newest replay of this run. `null`: there is none."),
  key: z
    .string()
    .nullable()
    .describe("What it is about. `null`: its trigger has no key. Empty: the webhook had no value for it."),
  version: z.string().describe("The build that accepted the run, or with which it was last resumed."),
  attempt: z
    .int()
    .describe("Number of the current or last attempt, over the whole life of the run. 0: it has not started."),
  maxAttempts: z.int().describe("Number of the last possible attempt. A resume raises it."),
  tokens: z.int().nullable().describe("Tokens that an agent has used so far, in and out. `null`: it is a workflow."),
  costUsd: z
    .number()
    .nullable()
    .describe("Cost of the model calls so far, in US dollars. `null`: unknown, or it is a workflow."),
  error: runErrorSchema
    .omit({ stack: true })
    .nullable()
    .describe("The error of the last attempt. `null`: it did not fail."),
  createdAt: z.iso.datetime().describe("When the run was recorded."),
  resumedAt: z.iso.datetime().nullable().describe("When a person last resumed it. `null`: never."),
  startedAt: z.iso.datetime().nullable().describe("When its first attempt started. `null`: it has not started."),
  finishedAt: z.iso.datetime().nullable().describe("When it ended. `null`: it is open."),
  waitsFor: runWaitSchema
    .optional()
    .describe(
      "What the run waits for: another run, room, an event, or a child run. Absent: it waits for nothing but a worker or its time.",
    ),
  blocksKey: z
    .literal(true)
    .optional()
    .describe("The run has failed, and other runs with its key wait until it is resumed, replayed or canceled."),
  isMasked,
});

/** One run alone. */
export const runSchema = runSummarySchema.extend({
  payload: jsonSchema.nullable().describe("The payload that its trigger accepted. `null`: no trigger started it."),
  input: jsonSchema.nullable().describe("The input. `null`: there is none yet, or its transform failed."),
  output: jsonSchema.nullable().describe("The output. `null`: it has not completed, or has no output."),
  error: runErrorSchema.nullable().describe("The error of the last attempt. `null`: it did not fail."),
});

/** A step, a sleep, a wait for an event, a child run, or an approval of a run. */
export const runStepSchema = z.object({
  name: z.string().describe("Name of the step, unique in the run: the second with a name is `name#2`."),
  kind: z.enum(["step", "sleep", "event", "child", "approval"]).describe("The kind."),
  attempt: z.int().describe("Number of the attempt that finished it, or that executes it."),
  startedAt,
  finishedAt: z.iso.datetime().nullable().describe("When it ended."),
  until: z.iso
    .datetime()
    .nullable()
    .describe(
      "When a sleep ends, a wait or an approval times out, or the next try of a step starts. Otherwise `null`.",
    ),
  result: jsonSchema
    .nullable()
    .describe(
      "The stored result; of an approval, the request and the decision; of a wait, the delivery and its payload; of a child run, its id and how it ended. `null`: it has not finished, or the wait has timed out.",
    ),
  resultBytes: z.int().nullable().describe("Length of the result as JSON. `null`: there is none yet."),
});

export type EventMatch = z.infer<typeof eventMatchSchema>;
export type AwaitedEvent = z.infer<typeof awaitedEventSchema>;
export type RunWait = z.infer<typeof runWaitSchema>;
export type RunStep = z.infer<typeof runStepSchema>;
export type RunStatus = z.infer<typeof runStatusSchema>;
export type StartedBy = z.infer<typeof startedBySchema>;
export type RunError = z.infer<typeof runErrorSchema>;
export type RunSummary = z.infer<typeof runSummarySchema>;
export type Run = z.infer<typeof runSchema>;
