import { setTimeout as pause } from "node:timers/promises";
import { checkOptions } from "../check-shape.ts";
import { type ModelPromptMessage, type StandInConversation, readConversation } from "./stand-in-conversation.ts";

/**
 * What a stand-in answers: a text, calls of the agent's tools, or the structured output that ends the run (any JSON
 * value, also one that does not fit).
 */
export type StandInAnswer =
  | string
  | { readonly calls: readonly StandInCall[]; readonly text?: string }
  | { readonly output: unknown };

/**
 * A call of a tool. `input` goes through the tool's `inputSchema`, as what a model writes does; a text that is no JSON
 * can be said as well, to see what comes of it.
 */
export interface StandInCall {
  readonly tool: string;
  readonly input: unknown;
}

export interface StandInOptions {
  /**
   * The answers of each run, one after the other; or a function of the conversation so far, whose promise is waited
   * for. A function must give the same for the same conversation. What it throws is a failed call of the model.
   */
  answers: readonly StandInAnswer[] | ((conversation: StandInConversation) => StandInAnswer | Promise<StandInAnswer>);
  /** Milliseconds before each dozen characters of an answer, so that one can watch it come. 0 unless told. */
  pauseMs?: number;
}

type Finish = { unified: "stop" | "tool-calls"; raw: undefined };
/** No tokens, since there is no model; reported, so that an agent with a budget runs. */
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

/** A language model of the AI SDK by its shape (version 4 of the interface). */
export interface StandInModel {
  readonly specificationVersion: "v4";
  readonly provider: "stand-in";
  readonly modelId: "stand-in";
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: CallOptions): Promise<{ content: Content[]; finishReason: Finish; usage: NoUsage; warnings: [] }>;
  doStream(options: CallOptions): Promise<{ stream: ReadableStream<StreamPart> }>;
}

const disclosure = "A stand-in answers here: no model was asked.";
const finishReasons = {
  stop: { unified: "stop", raw: undefined },
  calls: { unified: "tool-calls", raw: undefined },
} as const;
const noUsage: NoUsage = {
  inputTokens: { total: 0, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: undefined, reasoning: undefined },
};

/**
 * Answers in place of a model, by a script or by rules: without network, without a key, and each time the same. For
 * tests of agents, and to see one run before there is a model. Everything around it is real: prompts, tools, approvals,
 * output, bounds, steps. Each of its answers says that no model was asked, and the app marks its runs; it counts no
 * tokens and costs nothing. Throws a TypeError when there are no `answers`.
 *
 * @example
 *   const model = standInModel({ answers: [{ calls: [{ tool: "findCustomer", input: { email: "ada@example.com" } }] }, { output: { queue: "bugs", urgent: false } }] });
 */
export function standInModel(options: StandInOptions): StandInModel {
  checkOptions(options, "standInModel", 'standInModel({ answers: ["Hello"] })');
  const { answers, pauseMs = 0 } = options;
  if (!Array.isArray(answers) && typeof answers !== "function")
    throw new TypeError('standInModel: answers must be a list or a function. Write answers: ["Hello"].');
  const contentOf = async ({ prompt }: CallOptions) =>
    toContent(await nextAnswer(answers, readConversation(prompt)), prompt);
  return {
    specificationVersion: "v4",
    provider: "stand-in",
    modelId: "stand-in",
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
  answers: StandInOptions["answers"],
  conversation: StandInConversation,
): Promise<StandInAnswer> {
  if (typeof answers === "function") return await answers(conversation);
  const answer = answers[conversation.turn - 1];
  if (answer === undefined)
    throw new Error(`The stand-in has ${answers.length} answers for a run, and was asked for one more.`);
  return answer;
}

function toContent(answer: StandInAnswer, prompt: readonly ModelPromptMessage[]): Content[] {
  const content: Content[] = [{ type: "reasoning", text: disclosure }];
  if (typeof answer === "string") return [...content, { type: "text", text: answer }];
  if ("output" in answer) return [...content, { type: "text", text: JSON.stringify(answer.output, null, 2) ?? "" }];
  if (answer.text !== undefined) content.push({ type: "text", text: answer.text });
  // The names that calls bear are told apart over the whole conversation.
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
    // By whole characters, not by halves of a pair.
    for (const delta of (isCall ? part.input : part.text).match(/[^]{1,12}/gu) ?? []) {
      // Over at once when the run is.
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
