import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent } from "signalbox/agent";

export const model = createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:1/v1" })("some-model");

export default defineAgent({ slug: "hidden", model, instructions: "Sort." });
