import { z } from "zod";
import { jsonSchema } from "../json.ts";

/**
 * The output of a model so far, in a call that is in progress. Long output is cut at its beginning: a `…Cut` says how
 * much is missing, in UTF-16 units (for `toolCalls`, how many calls).
 */
export const modelOutputSchema = z.object({
  text: z.string(),
  textCut: z.int(),
  reasoning: z.string(),
  reasoningCut: z.int(),
  /**
   * In the order in which they began. `input` is JSON, as far as it has come: it need not parse before the call
   * `isComplete`.
   */
  toolCalls: z.array(
    z.object({
      toolCallId: z.string(),
      toolName: z.string(),
      input: z.string(),
      inputCut: z.int(),
      isComplete: z.boolean(),
    }),
  ),
  toolCallsCut: z.int(),
});

/** The same with the step that it is going to be, by the name that the step then has in the trace. Times are ISO 8601. */
const agentLiveSchema = modelOutputSchema.extend({
  step: z.string(),
  attempt: z.int(),
  startedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type ModelOutput = z.infer<typeof modelOutputSchema>;
export type AgentLive = z.infer<typeof agentLiveSchema>;

/**
 * The results of the steps of an agent's run. They are the only record of the agent's activity: the run continues from
 * them after a crash, and the app shows them.
 */

/** Tokens of one model call. `null`: the provider does not report them. */
const usageSchema = z.object({
  inputTokens: z.int().nullable(),
  /** Of `inputTokens`, those that the provider had seen before. */
  cachedInputTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
  /** Of `outputTokens`, those that were thought and not said. */
  reasoningTokens: z.int().nullable(),
});

const providerOptions = z.record(z.string(), jsonSchema).optional();

const contentPartSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), providerOptions }),
  z.object({ type: z.literal("reasoning"), text: z.string(), providerOptions }),
  /** `input` is what the model wrote where that is no JSON. */
  z.object({
    type: z.literal("tool-call"),
    toolCallId: z.string(),
    toolName: z.string(),
    input: jsonSchema,
    isMalformed: z.boolean(),
    providerOptions,
  }),
]);

/**
 * The first message to the model. In `message`, an unpredictable boundary surrounds the parts that come from the
 * payload.
 */
const promptStepSchema = z.object({
  type: z.literal("prompt"),
  system: z.string(),
  message: z.string(),
  boundary: z.string().nullable(),
});

/** An answered model call. `costUsd` is `null` if the price is unknown. */
const modelStepSchema = z.object({
  type: z.literal("model"),
  model: z.object({ provider: z.string(), modelId: z.string() }),
  content: z.array(contentPartSchema),
  finishReason: z.string(),
  usage: usageSchema,
  costUsd: z.number().nullable(),
});

/** A call of the model that failed. `waitMs`: it is made again after so long; `null`: it is not. */
const modelFailureStepSchema = z.object({
  type: z.literal("model_failure"),
  kind: z.enum(["rate_limited", "overloaded", "timed_out", "disconnected", "rejected"]),
  message: z.string(),
  status: z.int().nullable(),
  waitMs: z.number().nullable(),
});

/**
 * A tool call. The model receives the error if it `failed`, if it is `invalid` (its arguments do not match the schema),
 * or if a person `denied` it.
 */
const toolStepSchema = z.object({
  type: z.literal("tool"),
  toolCallId: z.string(),
  toolName: z.string(),
  input: jsonSchema,
  outcome: z.enum(["done", "failed", "invalid", "denied"]),
  output: jsonSchema,
});

/** Whether a call of a tool needs a person's approval. */
const approvalNeedStepSchema = z.object({ type: z.literal("approval_need"), needsApproval: z.boolean() });

export const agentStepSchema = z.discriminatedUnion("type", [
  promptStepSchema,
  modelStepSchema,
  modelFailureStepSchema,
  toolStepSchema,
  approvalNeedStepSchema,
]);

/** What a person is asked to approve. */
const approvalRequestSchema = z.object({ toolCallId: z.string(), toolName: z.string(), input: jsonSchema });

/** The decision. `by`: the person; `null`: the approval expired. */
const approvalDecisionSchema = z.object({
  isApproved: z.boolean(),
  reason: z.string().nullable(),
  by: z.string().nullable(),
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
  steps: z.array(
    z.object({
      name: z.string(),
      attempt: z.int(),
      startedAt: z.iso.datetime(),
      finishedAt: z.iso.datetime(),
      step: agentStepSchema,
    }),
  ),
  /** Tool calls that need or needed an approval, in the order of their requests. */
  approvals: z.array(
    z.object({
      name: z.string(),
      request: approvalRequestSchema,
      requestedAt: z.iso.datetime(),
      /** When the approval expires. An expired approval counts as denied. */
      until: z.iso.datetime().nullable(),
      decidedAt: z.iso.datetime().nullable(),
      decision: approvalDecisionSchema.nullable(),
    }),
  ),
  /** The output of the model call in progress. `null`: there is no call in progress, or it has no output yet. */
  live: agentLiveSchema.nullable(),
  /** Of all answered model calls. `null`: no provider reported it. */
  usage: usageSchema,
  /** US dollars. `null`: the price of a call is unknown. */
  costUsd: z.number().nullable(),
});

export type AgentTrace = z.infer<typeof agentTraceSchema>;
