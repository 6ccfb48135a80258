import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ModelOutput } from "../../contract/agent/trace.ts";
import type { ModelPart } from "./call-model.ts";
import { createLiveOutput } from "./live-output.ts";

const text = (delta: string): ModelPart => ({ type: "text-delta", id: "1", delta });

describe("the live output of a model is published", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("at its first word, then at most every 150 ms, completely, and not if there is nothing new", async () => {
    const published: string[] = [];
    const speech = createLiveOutput(async (said) => void published.push(said.text));
    speech.add({ type: "text-start", id: "1" });
    for (const word of ["a", "b", "c"]) speech.add(text(word));
    expect(published).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(149);
    expect(published).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(published).toEqual(["a", "abc"]);
    await vi.advanceTimersByTimeAsync(1_000);
    speech.add(text("d"));
    expect(published).toEqual(["a", "abc", "abcd"]);
  });

  test("never before the last update has been written", async () => {
    const published: PromiseWithResolvers<void>[] = [];
    const speech = createLiveOutput(() => {
      const next = Promise.withResolvers<void>();
      published.push(next);
      return next.promise;
    });
    for (let word = 0; word < 10; word += 1) {
      speech.add(text("word "));
      await vi.advanceTimersByTimeAsync(400);
    }
    expect(published).toHaveLength(1);
    published[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(published).toHaveLength(2);
  });

  test("no longer after its end, which waits for the last update", async () => {
    const last = Promise.withResolvers<void>();
    const publish = vi.fn<() => Promise<void>>(() => last.promise);
    const speech = createLiveOutput(publish);
    speech.add(text("a"));
    speech.add(text("b"));
    let isOver = false;
    const ended = speech.end().then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isOver).toBe(false);
    last.resolve();
    await ended;
    speech.add(text("c"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(publish).toHaveBeenCalledTimes(1);
  });
});

describe("the published output", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("has tool calls while their arguments are streamed, and complete at the end, also from providers that do not stream them", async () => {
    const published: ModelOutput["toolCalls"][] = [];
    const speech = createLiveOutput(async (said) => void published.push(said.toolCalls));
    speech.add({ type: "tool-input-start", id: "a", toolName: "lookup" });
    speech.add({ type: "tool-input-delta", id: "a", delta: '{"id"' });
    await vi.advanceTimersByTimeAsync(150);
    speech.add({ type: "tool-call", toolCallId: "a", toolName: "lookup", input: '{"id":"7"}' });
    speech.add({ type: "tool-call", toolCallId: "b", toolName: "refund", input: "{}" });
    await vi.advanceTimersByTimeAsync(150);
    const call = { toolCallId: "a", toolName: "lookup", inputCut: 0 };
    expect(published).toEqual([
      [{ ...call, input: "", isComplete: false }],
      [{ ...call, input: '{"id"', isComplete: false }],
      [
        { ...call, input: '{"id":"7"}', isComplete: true },
        { toolCallId: "b", toolName: "refund", input: "{}", inputCut: 0, isComplete: true },
      ],
    ]);
  });

  test("has the last 64 Ki of every text, and the length of the rest; no character is split", async () => {
    const word = fc
      .tuple(fc.constantFrom("a", "ä", "😀"), fc.integer({ min: 1, max: 40_000 }))
      .map(([char, times]) => char.repeat(times));
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 8 }), async (words) => {
        const published: ModelOutput[] = [];
        const speech = createLiveOutput(async (said) => void published.push(said));
        for (const part of ["x", ...words]) speech.add(text(part));
        await vi.advanceTimersByTimeAsync(150);
        const whole = `x${words.join("")}`;
        const last = published.at(-1);
        expect(published).toHaveLength(2);
        expect(whole.slice(last?.textCut)).toBe(last?.text);
        expect(last?.text.length).toBeLessThanOrEqual(64 * 1024);
        expect(last?.text.length).toBeGreaterThanOrEqual(Math.min(whole.length, 64 * 1024 - 1));
        expect(last?.text.isWellFormed()).toBe(true);
        await speech.end();
      }),
    );
  });
});
