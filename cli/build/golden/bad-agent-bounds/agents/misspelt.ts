import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent } from "signalbox/agent";

export default defineAgent({
  slug: "misspelt",
  model: createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:1/v1" })("some-model"),
  instructions: "Sort.",
  budget: { tokens: 50_000, usd: 0.25 },
});
