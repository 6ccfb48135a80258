import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent } from "signalbox/agent";
import { z } from "zod";

export default defineAgent({
  slug: "Triage",
  model: createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:1/v1" })("some-model"),
  instructions: "Sort.",
  tools: {
    lookup: { description: "Looks up", inputSchema: { id: "string" }, execute: () => null },
  },
  output: z.object({ at: z.date() }),
  maxSteps: 0,
  budget: { tokens: 1.5, euros: 3 } as never,
  callTimeout: -1,
});
