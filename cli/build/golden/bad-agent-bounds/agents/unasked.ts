import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent, defineTool } from "signalbox/agent";
import { z } from "zod";

export default defineAgent({
  slug: "unasked",
  // Its price is known by the name without the date.
  model: createOpenAICompatible({ name: "openai", baseURL: "http://127.0.0.1:1/v1" })("gpt-5-mini-2025-08-07"),
  instructions: "Sort.",
  tools: {
    refund: defineTool({
      description: "Pays back",
      inputSchema: z.object({ cents: z.int() }),
      approvalTimeout: "4h",
      execute: () => null,
    }),
  },
  budget: { usd: 1 },
});
