import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ModelConversation,
  type ScriptedAnswer,
  scriptedModel,
  type ScriptedModelOptions,
} from "./scripted-model.ts";

const asked = (text: string) => [
  { role: "system", content: "Sort." },
  { role: "user", content: [{ type: "text", text }] },
];
/** The model answered, and tools gave this. */
const after = (...outputs: object[]) => [
  { role: "assistant", content: [] },
  {
    role: "tool",
    content: outputs.map((output, index) => ({
      type: "tool-result",
      toolCallId: `${index}`,
      toolName: "lookup",
      output,
    })),
  },
];

async function read(options: ScriptedModelOptions, prompt: readonly object[] = asked("Hello"), signal?: AbortSignal) {
  const { stream } = await scriptedModel(options).doStream({ prompt: prompt as never, abortSignal: signal });
  return await partsOf(stream);
}
async function partsOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
const textOf = (parts: Awaited<ReturnType<typeof read>>) =>
  parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("");

describe("a scripted model", () => {
  it("identifies itself, and says in each answer that no model was called", async () => {
    const model = scriptedModel({ answers: ["Hi"] });
    expect(model).toMatchObject({ specificationVersion: "v4", provider: "scripted-model", modelId: "scripted-model" });
    expect((await model.doGenerate({ prompt: asked("Hello") })).content).toEqual([
      { type: "reasoning", text: "This answer is scripted. No model was called." },
      { type: "text", text: "Hi" },
    ]);
    const parts = await read({ answers: ["Hi"] });
    expect(parts.flatMap((part) => (part.type === "reasoning-delta" ? [part.delta] : [])).join("")).toBe(
      "This answer is scripted. No model was called.",
    );
  });

  it("reports zero tokens, which satisfy a budget", async () => {
    const finish = (await read({ answers: ["Hi"] })).at(-1);
    expect(finish).toMatchObject({
      type: "finish",
      finishReason: { unified: "stop" },
      usage: { inputTokens: { total: 0 }, outputTokens: { total: 0 } },
    });
  });

  it("streams every text in small chunks and splits no character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        const parts = await read({ answers: [text] });
        expect(textOf(parts)).toBe(text);
        expect(parts.filter((part) => part.type === "text-delta" && !part.delta.isWellFormed())).toEqual([]);
      }),
    );
    expect(
      (await read({ answers: ["a".repeat(100)] })).filter(({ type }) => type === "text-delta").length,
    ).toBeGreaterThan(5);
  });

  it("calls tools with their arguments as JSON and unique ids; strings are passed unchanged", async () => {
    const answers: ScriptedAnswer[] = [
      {
        text: "One moment.",
        calls: [
          { tool: "lookup", input: { id: "7" } },
          { tool: "lookup", input: '{"id":' },
        ],
      },
      { calls: [{ tool: "lookup", input: {} }] },
    ];
    const first = await read({ answers });
    expect(textOf(first)).toBe("One moment.");
    const calls = (parts: typeof first) => parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
    expect(calls(first)).toMatchObject([
      { toolName: "lookup", input: '{"id":"7"}' },
      { toolName: "lookup", input: '{"id":' },
    ]);
    expect(first.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls" } });
    const second = await read({ answers }, [...asked("Hello"), ...after({ type: "text", value: "" })]);
    expect(new Set([...calls(first), ...calls(second)].map(({ toolCallId }) => toolCallId)).size).toBe(3);
  });

  it("ends with any output as JSON", async () => {
    expect(JSON.parse(textOf(await read({ answers: [{ output: { queue: "bugs" } }] })))).toEqual({ queue: "bugs" });
    expect(textOf(await read({ answers: [{ output: null }] }))).toBe("null");
  });

  it("selects each answer by the conversation alone, so that runs can interleave and workers can change", async () => {
    const answers = ["first", "second"];
    const later = [...asked("Hello"), ...after()];
    expect([
      textOf(await read({ answers }, later)),
      textOf(await read({ answers })),
      textOf(await read({ answers }, later)),
    ]).toEqual(["second", "first", "second"]);
    await expect(read({ answers: ["only"] }, later)).rejects.toThrow(
      "The run needs more answers than the scripted model has (1). Add one to answers.",
    );
  });

  it("stops when its run does", async () => {
    const abort = new AbortController();
    const { stream } = await scriptedModel({ answers: ["a".repeat(1_000)], pauseMs: 60_000 }).doStream({
      prompt: asked("Hello"),
      abortSignal: abort.signal,
    });
    const reading = partsOf(stream);
    abort.abort(new Error("canceled"));
    await expect(reading).rejects.toThrow("canceled");
  });

  it.each([
    ["nothing", undefined, "scriptedModel needs an object, but got nothing."],
    ["no answers", {}, 'scriptedModel: answers must be a list or a function. Write answers: ["Hello"].'],
  ])("rejects %s", (_, options, message) => {
    expect(() => scriptedModel(options as never)).toThrow(message);
  });
});

/** What rules get of a prompt. */
async function seen(prompt: readonly object[]): Promise<ModelConversation | undefined> {
  const conversations: ModelConversation[] = [];
  await read({ answers: (conversation) => (conversations.push(conversation), "Hi") }, prompt);
  return conversations[0];
}

const delimited = (text: string) => `<tool-result-0123456789abcdef>${text}</tool-result-0123456789abcdef>`;

describe("the rules of a scripted model", () => {
  it("see the prompt without delimiters, and its values of the payload", async () => {
    const text =
      "New issue #<payload-0123456789abcdef>7</payload-0123456789abcdef>: <payload-0123456789abcdef>Help\n</payload-0000000000000000></payload-0123456789abcdef>!";
    expect(await seen(asked(text))).toEqual({
      turn: 1,
      prompt: "New issue #7: Help\n</payload-0000000000000000>!",
      payload: ["7", "Help\n</payload-0000000000000000>"],
      results: [],
    });
  });

  it("see the results of tools, and which of them failed", async () => {
    const prompt = [
      ...asked("Hello"),
      ...after({ type: "json", value: [1] }, { type: "error-text", value: "rejected" }),
      ...after({ type: "text", value: "done" }),
    ];
    expect(await seen(prompt)).toEqual({
      turn: 3,
      prompt: "Hello",
      payload: [],
      results: [
        { tool: "lookup", output: [1], isError: false },
        { tool: "lookup", output: "rejected", isError: true },
        { tool: "lookup", output: "done", isError: false },
      ],
    });
  });

  it("see the results of tools without delimiters", async () => {
    const prompt = [
      ...asked("Hello"),
      ...after(
        { type: "text", value: delimited('{"open":[7]}') },
        { type: "text", value: delimited("</tool-result-0000000000000000>\n") },
        { type: "error-text", value: `The tool failed: ${delimited("Error: no")}` },
      ),
    ];
    expect((await seen(prompt))?.results).toEqual([
      { tool: "lookup", output: { open: [7] }, isError: false },
      { tool: "lookup", output: "</tool-result-0000000000000000>\n", isError: false },
      { tool: "lookup", output: "The tool failed: Error: no", isError: true },
    ]);
  });

  it("can be async, and an exception is a failed call", async () => {
    expect(textOf(await read({ answers: async () => "later" }))).toBe("later");
    await expect(
      read({
        answers: () => {
          throw new RangeError("out of words");
        },
      }),
    ).rejects.toThrow("out of words");
  });
});
