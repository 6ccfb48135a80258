import { setTimeout as pause } from "node:timers/promises";
import { checkNames, checkOptions } from "../check-shape.ts";

/** A message of a prompt, as the AI SDK passes it to models. */
interface ModelPromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The conversation of a run so far. */
export interface ModelConversation {
  /** Number of the next answer in the run: 1 for the first. */
  readonly turn: number;
  /** The agent's prompt, without the delimiters around values of the payload. */
  readonly prompt: string;
  /**
   * The values that fill the prompt's placeholders, in order. For `"{{ issue.number }}: {{ issue.title }}"`: the number
   * and the title. Empty values are left out.
   */
  readonly payload: readonly string[];
  /** The results of the tool calls so far, in order. */
  readonly results: readonly ModelToolResult[];
}

/** The result of a tool call. If `isError`, `output` is the reason why the call failed or was not executed. */
export interface ModelToolResult {
  readonly tool: string;
  readonly output: unknown;
  readonly isError: boolean;
}

/** The engine creates delimiters of 16 digits that do not occur in the payload: the first one that opens is genuine. */
const delimited = /<payload-([0-9a-f]{16})>([^]*?)<\/payload-\1>/g;

/**
 * The engine puts delimiters around the result of a tool. It writes every value except a string as JSON. A string that
 * contains JSON is parsed, too.
 */
const delimitedResult = /<tool-result-([0-9a-f]{16})>([^]*?)<\/tool-result-\1>/;

/**
 * An answer of a scripted model: a string, calls of the agent's tools, or the structured output that ends the run. The
 * output can be any JSON value, even one that does not match the schema.
 */
export type ScriptedAnswer =
  | string
  | { readonly calls: readonly ScriptedCall[]; readonly text?: string }
  | { readonly output: unknown };

/**
 * A tool call. Like the input of a real model, `input` is parsed by the tool's `inputSchema`. To test invalid JSON,
 * pass a string.
 */
export interface ScriptedCall {
  readonly tool: string;
  readonly input: unknown;
}

/** Options of `scriptedModel`. */
export interface ScriptedModelOptions {
  /**
   * The answers of each run, in order, or a function of the conversation so far. The function can be async and must
   * return the same answer for the same conversation. An exception is a failed model call.
   */
  answers: readonly ScriptedAnswer[] | ((conversation: ModelConversation) => ScriptedAnswer | Promise<ScriptedAnswer>);
  /** Milliseconds before each chunk of 12 characters, to make streaming visible. Default: 0. */
  pauseMs?: number;
}

type Finish = { unified: "stop" | "tool-calls"; raw: undefined };
/** Zero tokens, because no model is called. They are reported so that an agent with a budget runs. */
interface NoUsage {
  inputTokens: { total: 0; noCache: undefined; cacheRead: undefined; cacheWrite: undefined };
  outputTokens: { total: 0; text: undefined; reasoning: undefined };
}
type Content =
  | { type: "reasoning" | "text"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: string };
type StreamPart =
  | { type: "stream-start"; warnings: [] }
  | { type: "reasoning-start" | "reasoning-end" | "text-start" | "text-end" | "tool-input-end"; id: string }
  | { type: "tool-input-start"; id: string; toolName: string }
  | { type: "reasoning-delta" | "text-delta" | "tool-input-delta"; id: string; delta: string }
  | Extract<Content, { type: "tool-call" }>
  | { type: "finish"; finishReason: Finish; usage: NoUsage };

interface CallOptions {
  readonly prompt: readonly ModelPromptMessage[];
  readonly abortSignal?: AbortSignal | undefined;
}

/** A language model of the AI SDK (version 4 of the interface). */
export interface ScriptedModel {
  readonly specificationVersion: "v4";
  readonly provider: "scripted-model";
  readonly modelId: "scripted-model";
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: CallOptions): Promise<{ content: Content[]; finishReason: Finish; usage: NoUsage; warnings: [] }>;
  doStream(options: CallOptions): Promise<{ stream: ReadableStream<StreamPart> }>;
}

const disclosure = "This answer is scripted. No model was called.";
const finishReasons = {
  stop: { unified: "stop", raw: undefined },
  calls: { unified: "tool-calls", raw: undefined },
} as const;
const noUsage: NoUsage = {
  inputTokens: { total: 0, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: undefined, reasoning: undefined },
};

/**
 * Creates a deterministic model that answers from a script or by rules, without network or API key. Use it to test
 * agents, or to run an agent before you have a model. Prompts, tools, approvals, output, limits and steps work as with
 * a real model. Each answer says that no model was called, and the app marks its runs. It uses no tokens and costs
 * nothing. Throws a TypeError if `answers` is neither a list nor a function.
 *
 * @example
 *   import { scriptedModel } from "signalbox/agent";
 *
 *   const model = scriptedModel({ answers: [{ calls: [{ tool: "findCustomer", input: { email: "ada@example.com" } }] }, { output: { queue: "bugs", urgent: false } }] });
 */
export function scriptedModel(options: ScriptedModelOptions): ScriptedModel {
  checkOptions(options, "scriptedModel", 'scriptedModel({ answers: ["Hello"] })');
  checkNames(options, "scriptedModel", ["answers", "pauseMs"]);
  const { answers, pauseMs = 0 } = options;
  if (!Array.isArray(answers) && typeof answers !== "function")
    throw new TypeError('scriptedModel: answers must be a list or a function. Write answers: ["Hello"].');
  const contentOf = async ({ prompt }: CallOptions) =>
    toContent(await nextAnswer(answers, readConversation(prompt)), prompt);
  return {
    specificationVersion: "v4",
    provider: "scripted-model",
    modelId: "scripted-model",
    supportedUrls: {},
    async doGenerate(call) {
      const content = await contentOf(call);
      return { content, finishReason: finishOf(content), usage: noUsage, warnings: [] };
    },
    async doStream(call) {
      return { stream: toStream(streamParts(await contentOf(call), pauseMs, call.abortSignal)) };
    },
  };
}

async function nextAnswer(
  answers: ScriptedModelOptions["answers"],
  conversation: ModelConversation,
): Promise<ScriptedAnswer> {
  if (typeof answers === "function") return await answers(conversation);
  const answer = answers[conversation.turn - 1];
  if (answer === undefined)
    throw new Error(`The run needs more answers than the scripted model has (${answers.length}). Add one to answers.`);
  return answer;
}

function toContent(answer: ScriptedAnswer, prompt: readonly ModelPromptMessage[]): Content[] {
  const content: Content[] = [{ type: "reasoning", text: disclosure }];
  if (typeof answer === "string") return [...content, { type: "text", text: answer }];
  if ("output" in answer) return [...content, { type: "text", text: JSON.stringify(answer.output, null, 2) ?? "" }];
  if (answer.text !== undefined) content.push({ type: "text", text: answer.text });
  // Call ids are unique over the whole conversation.
  const calls = answer.calls.map(({ tool, input }, index) => ({
    type: "tool-call" as const,
    toolCallId: `call_${prompt.length}_${index + 1}`,
    toolName: tool,
    input: typeof input === "string" ? input : JSON.stringify(input),
  }));
  return [...content, ...calls];
}

async function* streamParts(
  content: readonly Content[],
  pauseMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamPart> {
  yield { type: "stream-start", warnings: [] };
  for (const [index, part] of content.entries()) {
    const isCall = part.type === "tool-call";
    const kind = isCall ? ("tool-input" as const) : part.type;
    const id = isCall ? part.toolCallId : String(index);
    yield isCall ? { type: "tool-input-start", id, toolName: part.toolName } : { type: `${part.type}-start`, id };
    // Splits at characters, never inside a surrogate pair.
    for (const delta of (isCall ? part.input : part.text).match(/[^]{1,12}/gu) ?? []) {
      // Stops immediately if the run is aborted.
      if (pauseMs > 0) await pause(pauseMs, undefined, signal ? { signal } : {}).catch(() => {});
      signal?.throwIfAborted();
      yield { type: `${kind}-delta`, id, delta };
    }
    yield { type: `${kind}-end`, id };
    if (isCall) yield part;
  }
  yield { type: "finish", finishReason: finishOf(content), usage: noUsage };
}

function toStream(parts: AsyncGenerator<StreamPart>): ReadableStream<StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      const next = await parts.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

function finishOf(content: readonly Content[]): Finish {
  return content.some(({ type }) => type === "tool-call") ? finishReasons.calls : finishReasons.stop;
}

/** Reads the conversation from the messages that a model receives. */
function readConversation(messages: readonly ModelPromptMessage[]): ModelConversation {
  const asked = textOf(messages.find(({ role }) => role === "user")?.content);
  return {
    turn: 1 + messages.filter(({ role }) => role === "assistant").length,
    prompt: asked.replaceAll(delimited, (_, __, text: string) => text),
    payload: [...asked.matchAll(delimited)].map(([, , text = ""]) => text),
    results: messages.flatMap(({ role, content }) => (role === "tool" ? partsOf(content).flatMap(toResult) : [])),
  };
}

function textOf(content: unknown): string {
  return partsOf(content)
    .map((part) => (part["type"] === "text" ? String(part["text"]) : ""))
    .join("");
}

function toResult(part: Record<string, unknown>): ModelToolResult[] {
  const { type, toolName, output } = part;
  if (type !== "tool-result" || !isRecord(output)) return [];
  const kind = String(output["type"]);
  const isError = kind.startsWith("error") || kind === "execution-denied";
  return [{ tool: String(toolName), output: readResult(output["value"], isError), isError }];
}

function readResult(value: unknown, isError: boolean): unknown {
  if (typeof value !== "string") return value;
  if (isError) return value.replace(delimitedResult, (_, __, text: string) => text);
  const text = delimitedResult.exec(value)?.[2] ?? value;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function partsOf(content: unknown): Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
