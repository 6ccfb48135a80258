import { z } from "zod";
import { agentLiveSchema } from "./agent-live.ts";
import { agentStepSchema, approvalDecisionSchema, approvalRequestSchema, usageSchema } from "./agent-step.ts";

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
  /** What the model is just saying; `null` where no call of it is under way, or where it has not said a word yet. */
  live: agentLiveSchema.nullable(),
  /** Of all calls of the model that were answered; `null` where no provider said. */
  usage: usageSchema,
  /** US dollars; `null` where the price of a call is not known. */
  costUsd: z.number().nullable(),
});

export type AgentTrace = z.infer<typeof agentTraceSchema>;
