import type { StepPolicy } from "../../sdk/retry-options.ts";
import type { Json, JsonSchemaObject } from "../contract/json.ts";

/** A language model of the AI SDK (versions 2 to 4 of its interface): the part that agents use. */
export interface LanguageModel {
  provider: string;
  modelId: string;
  /** Rejects, or ends the stream with an error, if the call fails. Its parts are untrusted: each one is parsed. */
  stream(request: ModelRequest & { abortSignal: AbortSignal }): Promise<ReadableStream<unknown>>;
}

export interface ModelRequest {
  prompt: ModelMessage[];
  tools?: { type: "function"; name: string; description?: string; inputSchema: JsonSchemaObject }[];
  responseFormat?: { type: "json"; schema: JsonSchemaObject; name: string };
  providerOptions?: { [provider: string]: { [option: string]: Json } };
}

type ProviderOptions = { providerOptions?: { [provider: string]: Json } | undefined };

export type ModelMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: { type: "text"; text: string }[] }
  | {
      role: "assistant";
      content: ((
        | { type: "text" | "reasoning"; text: string }
        | { type: "tool-call"; toolCallId: string; toolName: string; input: Json }
      ) &
        ProviderOptions)[];
    }
  | { role: "tool"; content: ToolResultMessage[] };

export interface ToolResultMessage {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string };
}

export interface ToolCallOptions {
  toolCallId: string;
  messages: readonly ModelMessage[];
  abortSignal: AbortSignal;
  idempotencyKey: string;
}

/** A tool of an agent. */
export interface LoadedTool {
  /** The parsed arguments, or the reason why they do not parse. */
  parse(input: Json): Promise<{ isValid: true; input: unknown } | { isValid: false; why: string }>;
  /** `null` if every call has the same answer, which is in the manifest. */
  needsApproval: ((input: unknown, options: ToolCallOptions) => Promise<boolean>) | null;
  execute(input: unknown, options: ToolCallOptions): unknown;
  /** The retries and the timeout of a call. */
  policy?: StepPolicy | undefined;
}
