import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../sdk/agent/define-tool.ts";
import { getAgentTrace } from "../../runs/agent-runs.ts";
import { createAgentHarness } from "./testing/agent-harness.ts";

async function agent(...given: Parameters<typeof createAgentHarness>) {
  const h = await createAgentHarness(...given);
  onTestFinished(() => h.close());
  const live = async (id: string) => (await getAgentTrace(h, id)).live;
  return {
    ...h,
    live,
    untilLive: async (id: string, said: object) =>
      await vi.waitFor(async () => expect(await live(id)).toMatchObject(said), { interval: 10 }),
  };
}

const nobodySpeaks = '{"speaking":0,"said":null}';
const lookup = defineTool({
  description: "Looks up",
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => id,
});

test("the output of a model is live in the trace while it is streamed, and only in its step afterwards", async () => {
  const goOn = Promise.withResolvers<void>();
  const h = await agent([{ text: "Hello, Ada.", reasoning: "Greet her.", until: goOn.promise }]);
  const id = await h.start();
  const run = h.execute(await h.claim());
  await h.untilLive(id, { text: "Hello,", reasoning: "Greet her." });
  expect(await h.live(id)).toEqual({
    step: "model 1",
    attempt: 1,
    startedAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    text: "Hello,",
    textCut: 0,
    reasoning: "Greet her.",
    reasoningCut: 0,
    toolCalls: [],
    toolCallsCut: 0,
  });
  expect((await getAgentTrace(h, id)).steps.map(({ name }) => name)).toEqual(["prompt"]);
  goOn.resolve();
  expect((await run.ended).status).toBe("completed");
  const trace = await getAgentTrace(h, id);
  expect(trace.steps.map(({ name }) => name)).toEqual(["prompt", "model 1"]);
  expect(trace.live).toBeNull();
  expect(await h.store.liveMark()).toBe(nobodySpeaks);
});

test("a tool call is in the trace while its arguments are streamed; it is removed when the run is canceled meanwhile", async () => {
  const h = await agent([{ hangsAfter: "I look it up.", call: { name: "lookup", arguments: { id: "1234567" } } }], {
    tools: { lookup },
  });
  const id = await h.start();
  const run = h.execute(await h.claim());
  await h.untilLive(id, {
    text: "I look it up.",
    toolCalls: [{ toolCallId: "call_1", toolName: "lookup", input: '{"id":"1', inputCut: 0, isComplete: false }],
  });
  run.interrupt({ kind: "canceled" });
  expect((await run.ended).status).toBe("canceled");
  expect(await h.live(id)).toBeNull();
  expect(await h.store.liveMark()).toBe(nobodySpeaks);
});

test("the live output of an interrupted answer is replaced by the recorded failure", async () => {
  const h = await agent([{ breaksOffAfter: "I was about to" }, { text: "Done" }]);
  const id = await h.start();
  expect(await h.stretch()).toBe("waiting");
  expect(await getAgentTrace(h, id)).toMatchObject({
    live: null,
    steps: [{ name: "prompt" }, { step: { type: "model_failure" } }],
  });
  expect(await h.store.liveMark()).toBe(nobodySpeaks);
  expect((await h.finish(id)).run.output).toBe("Done");
});

test("the live output of a worker that lost the run is not shown, and its late updates are not accepted", async () => {
  const goOn = Promise.withResolvers<void>();
  const h = await agent([{ text: "From the first", until: goOn.promise }, { text: "From the second" }]);
  const id = await h.start();
  const first = h.execute(await h.claim());
  await h.untilLive(id, { text: "From th" });
  h.advance(60_000);
  await h.store.reconcile(h.clock.now());
  expect(await h.live(id)).toBeNull();
  const second = h.execute(await h.claim("wrk_other"));
  expect((await second.ended).status).toBe("completed");
  goOn.resolve();
  expect((await first.ended).status).toBeNull();
  expect(await getAgentTrace(h, id)).toMatchObject({
    live: null,
    steps: [{ name: "prompt" }, { step: { content: [{ text: "From the second" }] } }],
  });
});

test("a database that rejects live output does not affect the run", async () => {
  const h = await agent([{ text: "Hello" }]);
  const saveLive = vi.fn<typeof h.store.saveLive>(() => Promise.reject(new Error("the disk is on fire")));
  const id = await h.start();
  const run = h.execute(await h.claim(), { ...h.store, saveLive });
  expect((await run.ended).status).toBe("completed");
  expect(saveLive).toHaveBeenCalled();
  expect((await h.read(id)).run.output).toBe("Hello");
});
