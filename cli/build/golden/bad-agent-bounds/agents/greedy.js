import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent } from "signalbox/agent";

export default defineAgent({
  slug: "greedy",
  model: createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:1/v1" })("llama"),
  instructions: "Sort.",
  maxToolCalls: { perAnswer: 0, perHour: 5 },
});
