import { z } from "zod";
import type { ContentPart, Usage } from "../../contract/agent/trace.ts";
import { type Json, jsonSchema } from "../../contract/json.ts";
import type { LanguageModel, ModelRequest } from "../../ports/model.ts";
import { ModelCallTimedOut, ModelStreamBroken } from "./model-failure.ts";

export interface ModelAnswer {
  content: ContentPart[];
  finishReason: string;
  usage: Usage;
}

const providerMetadata = z.record(z.string(), jsonSchema).optional();
const tokens = z.number().nullish();
const count = z.union([z.number(), z.looseObject({ total: tokens, cacheRead: tokens, reasoning: tokens })]).nullish();

/**
 * The stream parts that are read; others are ignored. The deltas of a tool call are only for live output: the complete
 * call follows.
 */
const modelPartSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.enum(["text-start", "reasoning-start", "text-end", "reasoning-end"]),
    id: z.string(),
    providerMetadata,
  }),
  z.object({ type: z.enum(["text-delta", "reasoning-delta"]), id: z.string(), delta: z.string(), providerMetadata }),
  z.object({ type: z.literal("tool-input-start"), id: z.string(), toolName: z.string() }),
  z.object({ type: z.literal("tool-input-delta"), id: z.string(), delta: z.string() }),
  z.object({
    type: z.literal("tool-call"),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.string(),
    providerMetadata,
  }),
  z.object({
    type: z.literal("finish"),
    finishReason: z.union([z.string(), z.looseObject({ unified: z.string(), raw: z.string().nullish() })]),
    usage: z.looseObject({
      inputTokens: count,
      outputTokens: count,
      cachedInputTokens: tokens,
      reasoningTokens: tokens,
    }),
  }),
  z.object({ type: z.literal("error"), error: z.unknown() }),
]);

export type ModelPart = z.infer<typeof modelPartSchema>;

/**
 * Makes one model call and reads its stream to the end. Rejects with the provider's error, ModelCallTimedOut,
 * ModelStreamBroken or the signal's reason, and then leaves no stream open. `onPart` receives each part immediately.
 */
export async function callModel(p: {
  model: LanguageModel;
  request: ModelRequest;
  signal: AbortSignal;
  timeoutMs: number;
  onPart?: ((part: ModelPart) => void) | undefined;
}): Promise<ModelAnswer> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new ModelCallTimedOut(p.timeoutMs)), p.timeoutMs);
  const abortSignal = AbortSignal.any([p.signal, limit.signal]);
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  abortSignal.addEventListener("abort", () => aborted.reject(abortSignal.reason));
  let reader: ReadableStreamDefaultReader<unknown> | null = null;
  try {
    abortSignal.throwIfAborted();
    const stream = await Promise.race([p.model.stream({ ...p.request, abortSignal }), aborted.promise]);
    reader = stream.getReader();
    const answer = createAnswer();
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted.promise]);
      if (done) return answer.end();
      const part = modelPartSchema.safeParse(value);
      if (!part.success) continue;
      p.onPart?.(part.data);
      answer.take(part.data);
    }
  } catch (error) {
    // The reason of the abort is more precise than the stream's error.
    throw abortSignal.aborted ? abortSignal.reason : error;
  } finally {
    clearTimeout(timer);
    void reader?.cancel().catch(() => {});
  }
}

type TextPart = Extract<ContentPart, { text: string }>;

function createAnswer() {
  const content: ContentPart[] = [];
  const open = new Map<string, TextPart>();
  let end: { finishReason: string; usage: Usage } | null = null;

  function textPart(kind: "text" | "reasoning", id: string): TextPart {
    const key = `${kind}:${id}`;
    const known = open.get(key);
    if (known) return known;
    const made: TextPart = { type: kind, text: "" };
    open.set(key, made);
    content.push(made);
    return made;
  }

  return {
    take(part: ModelPart): void {
      if (part.type === "error") throw part.error;
      if (part.type === "finish") end = { finishReason: readFinish(part.finishReason), usage: readUsage(part.usage) };
      else if (part.type === "tool-call") content.push(toToolCall(part));
      else if (part.type !== "tool-input-start" && part.type !== "tool-input-delta") {
        const kept = textPart(part.type.startsWith("text") ? "text" : "reasoning", part.id);
        if ("delta" in part) kept.text += part.delta;
        if (part.providerMetadata) kept.providerOptions = part.providerMetadata;
      }
    },
    end(): ModelAnswer {
      if (!end || end.finishReason === "") throw new ModelStreamBroken("The model's answer was interrupted.");
      return {
        content: content.filter(
          (part) => part.type === "tool-call" || part.text !== "" || part.providerOptions !== undefined,
        ),
        ...end,
      };
    },
  };
}

function toToolCall({
  toolCallId,
  toolName,
  input,
  providerMetadata: metadata,
}: Extract<ModelPart, { type: "tool-call" }>): ContentPart {
  const parsed = parseArguments(input);
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    input: parsed ?? input,
    isMalformed: parsed === null,
    ...(metadata ? { providerOptions: metadata } : {}),
  };
}

/** Tools take objects. Empty text means an object without fields. */
function parseArguments(text: string): Json | null {
  if (text.trim() === "") return {};
  try {
    const json: Json = JSON.parse(text);
    return typeof json === "object" && json !== null ? json : null;
  } catch {
    return null;
  }
}

/** `""` if the stream ended before the provider sent it. */
function readFinish(reason: string | { unified: string; raw?: string | null | undefined }): string {
  if (typeof reason === "string") return reason === "unknown" ? "" : reason;
  return reason.unified === "other" && (reason.raw ?? null) === null ? "" : reason.unified;
}

type ReadCount =
  | number
  | { total?: number | null | undefined; cacheRead?: number | null | undefined; reasoning?: number | null | undefined }
  | null
  | undefined;

function readUsage(usage: {
  inputTokens?: ReadCount;
  outputTokens?: ReadCount;
  cachedInputTokens?: number | null | undefined;
  reasoningTokens?: number | null | undefined;
}): Usage {
  const { inputTokens, outputTokens } = usage;
  return {
    inputTokens: whole(typeof inputTokens === "object" ? inputTokens?.total : inputTokens),
    cachedInputTokens: whole(typeof inputTokens === "object" ? inputTokens?.cacheRead : usage.cachedInputTokens),
    outputTokens: whole(typeof outputTokens === "object" ? outputTokens?.total : outputTokens),
    reasoningTokens: whole(typeof outputTokens === "object" ? outputTokens?.reasoning : usage.reasoningTokens),
  };
}

function whole(value: number | null | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? Math.max(0, Math.round(value)) : null;
}
