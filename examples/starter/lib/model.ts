import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { scriptedModel } from "signalbox/agent";
import { sortByRules } from "./scripted-model";

const { MODEL, OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;

/**
 * A model of any OpenAI-compatible server, configured by the environment:
 *
 * - Ollama: `MODEL=qwen3 OPENAI_BASE_URL=http://127.0.0.1:11434/v1`
 * - LM Studio: `MODEL=… OPENAI_BASE_URL=http://127.0.0.1:1234/v1`
 * - `vllm serve`: `MODEL=… OPENAI_BASE_URL=http://127.0.0.1:8000/v1`
 * - OpenAI: `MODEL=gpt-5-mini OPENAI_API_KEY=sk-…`
 *
 * Default: a scripted model that follows rules, so that the example runs without a real one. The app marks such runs.
 */
export const model =
  MODEL || OPENAI_BASE_URL
    ? createOpenAICompatible({
        name: "openai-compatible",
        baseURL: OPENAI_BASE_URL || "https://api.openai.com/v1",
        apiKey: OPENAI_API_KEY,
        includeUsage: true, // `budget` needs token counts
        supportsStructuredOutputs: true,
      })(MODEL || "gpt-5-mini")
    : scriptedModel({ answers: sortByRules, pauseMs: 20 });
