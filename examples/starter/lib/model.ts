import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { standInModel } from "signalbox/agent";
import { sortByRules } from "./stand-in";

const { MODEL, OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;

/**
 * A model of any OpenAI-compatible server, configured by the environment:
 *
 * - Ollama: `MODEL=qwen3 OPENAI_BASE_URL=http://127.0.0.1:11434/v1`
 * - LM Studio: `MODEL=… OPENAI_BASE_URL=http://127.0.0.1:1234/v1`
 * - `vllm serve`: `MODEL=… OPENAI_BASE_URL=http://127.0.0.1:8000/v1`
 * - OpenAI: `MODEL=gpt-5-mini OPENAI_API_KEY=sk-…`
 *
 * Default: a stand-in that follows rules, so that the example runs without a model. The app marks such runs.
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
    : standInModel({ answers: sortByRules, pauseMs: 20 });
