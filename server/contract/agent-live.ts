import { z } from "zod";

/**
 * The output of a model so far, in a call that is in progress. Long output is cut at its beginning: a `…Cut` says how
 * much is missing, in UTF-16 units (for `toolCalls`, how many calls).
 */
export const modelSpeechSchema = z.object({
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
export const agentLiveSchema = modelSpeechSchema.extend({
  step: z.string(),
  attempt: z.int(),
  startedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type ModelSpeech = z.infer<typeof modelSpeechSchema>;
export type AgentLive = z.infer<typeof agentLiveSchema>;
