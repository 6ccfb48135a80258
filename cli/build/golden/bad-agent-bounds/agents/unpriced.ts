import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent, defineTool } from "signalbox/agent";
import { z } from "zod";

const inputSchema = z.object({ cents: z.int() });

export default defineAgent({
  slug: "unpriced",
  model: createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:1/v1" })("llama"),
  instructions: "Sort.",
  tools: {
    refund: defineTool({ description: "Pays back", inputSchema, needsApproval: true, approvalTimeout: "a week" as never, execute: () => null }),
  },
  budget: {
    usd: 1,
  },
  maxQueued: 0.5,
});
