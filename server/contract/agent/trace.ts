import { z } from "zod";
import { attempt, finishedAt, name, startedAt } from "../fields.ts";
import { jsonSchema } from "../json.ts";

const toolCallId = z.string().describe("Id of the tool call.");
const toolName = z.string().describe("Name of the tool.");

/**
 * The output of a model so far, in a call that is in progress. Long output is cut at its beginning: a `…Cut` says how
 * much is missing, in UTF-16 units (for `toolCalls`, how many calls).
 */
export const modelOutputSchema = z.object({
  text: z.string().describe("The text so far."),
  textCut: z.int().describe("Characters that were cut at the beginning of `text`."),
  reasoning: z.string().describe("The reasoning so far."),
  reasoningCut: z.int().describe("Characters that were cut at the beginning of `reasoning`."),
  /**
   * In the order in which they began. `input` is JSON, as far as it has come: it need not parse before the call
   * `isComplete`.
   */
  toolCalls: z
    .array(
      z.object({
        toolCallId,
        toolName,
        input: z.string().describe("The arguments so far, as text."),
        inputCut: z.int().describe("Characters that were cut at the beginning of `input`."),
        isComplete: z.boolean().describe("Whether the arguments are complete."),
      }),
    )
    .describe("The tool calls so far, in the order in which they began."),
  toolCallsCut: z.int().describe("Tool calls that were cut at the beginning of `toolCalls`."),
});

/** The same with the step that it is going to be, by the name that the step then has in the trace. Times are ISO 8601. */
const agentLiveSchema = modelOutputSchema.extend({
  step: z.string().describe("Name that the step will have."),
  attempt,
  startedAt,
  updatedAt: z.iso.datetime().describe("When the output last grew."),
});

export type ModelOutput = z.infer<typeof modelOutputSchema>;
export type AgentLive = z.infer<typeof agentLiveSchema>;

/**
 * The results of the steps of an agent's run. They are the only record of the agent's activity: the run continues from
 * them after a crash, and the app shows them.
 */

const usageSchema = z
  .object({
    inputTokens: z.int().nullable().describe("Tokens of the input."),
    cachedInputTokens: z.int().nullable().describe("Tokens of the input that the provider had cached."),
    outputTokens: z.int().nullable().describe("Tokens of the output."),
    reasoningTokens: z.int().nullable().describe("Tokens of the output that were used for reasoning."),
  })
  .describe("Tokens. `null` in a field: the provider did not report it.");

const providerOptions = z.record(z.string(), jsonSchema).optional().describe("Data of the provider for the next call.");
const partText = z.string().describe("The text.");
const partType = <Type extends string>(type: Type) => z.literal(type).describe("The kind of the part.");
const stepType = <Type extends string>(type: Type) => z.literal(type).describe("The kind of the step.");

const contentPartSchema = z.discriminatedUnion("type", [
  z.object({ type: partType("text"), text: partText, providerOptions }),
  z.object({ type: partType("reasoning"), text: partText, providerOptions }),
  /** `input` is what the model wrote where that is no JSON. */
  z.object({
    type: partType("tool-call"),
    toolCallId,
    toolName,
    input: jsonSchema.describe("The arguments. If `isMalformed`, the text of the model."),
    isMalformed: z.boolean().describe("The arguments are not JSON."),
    providerOptions,
  }),
]);

/**
 * The first message to the model. In `message`, an unpredictable boundary surrounds the parts that come from the
 * payload.
 */
const promptStepSchema = z.object({
  type: stepType("prompt"),
  system: z.string().describe("The system prompt."),
  message: z.string().describe("The first message to the model."),
  boundary: z.string().nullable().describe("The delimiter around values of the payload. `null`: there are none."),
});

/** An answered model call. `costUsd` is `null` if the price is unknown. */
const modelStepSchema = z.object({
  type: stepType("model"),
  model: z
    .object({
      provider: z.string().describe("The provider, as the AI SDK names it."),
      modelId: z.string().describe("The id of the model."),
    })
    .describe("The model that answered."),
  content: z.array(contentPartSchema).describe("The parts of the answer."),
  finishReason: z.string().describe("Why the model stopped."),
  usage: usageSchema,
  costUsd: z.number().nullable().describe("Cost in US dollars. `null`: unknown."),
});

/** A call of the model that failed. `waitMs`: it is made again after so long; `null`: it is not. */
const modelFailureStepSchema = z.object({
  type: stepType("model_failure"),
  kind: z
    .enum(["rate_limited", "overloaded", "timed_out", "disconnected", "rejected"])
    .describe("Why the call failed."),
  message: z.string().describe("The text of the error."),
  status: z.int().nullable().describe("HTTP status of the provider. `null`: it did not answer."),
  waitMs: z.number().nullable().describe("Milliseconds until the call is repeated. `null`: it is not."),
});

/**
 * A tool call. The model receives the error if it `failed`, if it is `invalid` (its arguments do not match the schema),
 * or if a person `denied` it.
 */
const toolStepSchema = z.object({
  type: stepType("tool"),
  toolCallId,
  toolName,
  input: jsonSchema.describe("The arguments of the tool call."),
  outcome: z
    .enum(["done", "failed", "invalid", "denied"])
    .describe("`invalid`: the arguments did not match the schema. `denied`: a person denied the call."),
  output: jsonSchema.describe("The result of the tool."),
});

/** Whether a call of a tool needs a person's approval. */
const approvalNeedStepSchema = z.object({
  type: stepType("approval_need"),
  needsApproval: z.boolean().describe("Whether the call needs an approval."),
});

export const agentStepSchema = z.discriminatedUnion("type", [
  promptStepSchema,
  modelStepSchema,
  modelFailureStepSchema,
  toolStepSchema,
  approvalNeedStepSchema,
]);

const approvalRequestSchema = z.object({
  toolCallId,
  toolName,
  input: jsonSchema.describe("The arguments of the call."),
});

/** The decision. `by`: the person; `null`: the approval expired. */
const approvalDecisionSchema = z.object({
  isApproved: z.boolean().describe("Whether the call was approved."),
  reason: z.string().nullable().describe("The reason, as a person gave it. `null`: none was given."),
  by: z.string().nullable().describe("The person who decided. `null`: it expired."),
});

/** The result of the step in which an approval is waited for. */
export const approvalStepSchema = z.object({
  request: approvalRequestSchema,
  decision: approvalDecisionSchema.nullable().default(null),
});

export type Usage = z.infer<typeof usageSchema>;
export type ContentPart = z.infer<typeof contentPartSchema>;
export type ModelStep = z.infer<typeof modelStepSchema>;
export type ModelFailureStep = z.infer<typeof modelFailureStepSchema>;
export type ToolStep = z.infer<typeof toolStepSchema>;
export type ApprovalRequest = z.infer<typeof approvalRequestSchema>;
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** What an agent did in a run: made of its steps, in the order in which they were finished. Times are ISO 8601. */
export const agentTraceSchema = z.object({
  steps: z
    .array(
      z.object({
        name,
        attempt,
        startedAt,
        finishedAt,
        step: agentStepSchema.describe("The stored result of the step."),
      }),
    )
    .describe("The finished steps, in order."),
  approvals: z
    .array(
      z.object({
        name,
        request: approvalRequestSchema.describe("The call that a person is asked to approve."),
        requestedAt: z.iso.datetime().describe("When the approval was requested."),
        until: z.iso.datetime().nullable().describe("When it expires, which counts as denied. `null`: never."),
        decidedAt: z.iso.datetime().nullable().describe("When it was decided. `null`: it is pending."),
        decision: approvalDecisionSchema.nullable().describe("The decision. `null`: it is pending."),
      }),
    )
    .describe("Tool calls that need or needed an approval, in the order of their requests."),
  live: agentLiveSchema.nullable().describe("The output of the model call in progress. `null`: there is none."),
  usage: usageSchema,
  costUsd: z.number().nullable().describe("Cost in US dollars. `null`: unknown."),
});

export type AgentTrace = z.infer<typeof agentTraceSchema>;
