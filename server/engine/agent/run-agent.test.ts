import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../sdk/agent/define-tool.ts";
import { getAgentTrace } from "../../runs/agent-runs.ts";
import { delimitResult } from "./prompt.ts";
import { createAgentHarness } from "./testing/agent-harness.ts";

type Harness = Awaited<ReturnType<typeof createAgentHarness>>;

let harness: Harness | null = null;
afterEach(async () => {
  await harness?.close();
  harness = null;
});

async function agent(...args: Parameters<typeof createAgentHarness>): Promise<Harness> {
  harness = await createAgentHarness(...args);
  return harness;
}

const lookup = (calls: unknown[] = []) =>
  defineTool({
    description: "Looks a customer up",
    inputSchema: z.object({ id: z.string() }),
    execute: (input, { idempotencyKey }) => void calls.push([input, idempotencyKey]),
  });

describe("an agent", () => {
  test("calls its model with its instructions and the prompt, and returns the model's answer", async () => {
    const h = await agent([{ text: "Hi there", reasoning: "Greet.", tokens: [120, 7] }]);
    const id = await h.start();
    const { run, kinds } = await h.finish(id);
    expect(run).toMatchObject({ status: "completed", output: "Hi there", input: { prompt: "Hello", marks: [] } });
    expect(kinds).toEqual([
      "queued",
      "attempt_started",
      "step_started prompt",
      "step_completed prompt",
      "step_started model 1",
      "step_completed model 1",
      "completed",
    ]);
    expect(h.provider.requests).toHaveLength(1);
    expect(h.provider.requests[0]).toMatchObject({
      model: "scripted-1",
      messages: [
        { role: "system", content: "You sort mail." },
        { role: "user", content: "Hello" },
      ],
    });
    expect((await h.steps(id)).get("model 1")).toMatchObject({
      type: "model",
      model: { provider: "scripted.chat", modelId: "scripted-1" },
      content: [
        { type: "reasoning", text: "Greet." },
        { type: "text", text: "Hi there" },
      ],
      finishReason: "stop",
      usage: { inputTokens: 120, outputTokens: 7 },
      costUsd: null,
    });
  });

  test("executes the tools that the model calls, in order, and sends it their results", async () => {
    const calls: unknown[] = [];
    const tools = {
      lookup: lookup(calls),
      count: defineTool({
        description: "Counts",
        inputSchema: z.object({ of: z.string().default("mails") }),
        execute: ({ of }) => ({ of, count: 3 }),
      }),
    };
    const h = await agent(
      [
        {
          text: "One moment.",
          calls: [
            { id: "a", name: "lookup", arguments: { id: "7" } },
            { id: "b", name: "count", arguments: {} },
          ],
        },
        { text: "Done" },
      ],
      { tools },
    );
    const id = await h.start();
    expect((await h.finish(id)).run.output).toBe("Done");
    expect(calls).toEqual([[{ id: "7" }, `${id}:tool 1.1 lookup`]]);
    expect(h.provider.requests[0]?.tools).toMatchObject([
      {
        type: "function",
        function: {
          name: "lookup",
          description: "Looks a customer up",
          parameters: { type: "object", required: ["id"] },
        },
      },
      { function: { name: "count" } },
    ]);
    expect(h.provider.requests[1]?.messages.slice(2)).toMatchObject([
      {
        role: "assistant",
        content: "One moment.",
        tool_calls: [
          { id: "a", function: { name: "lookup", arguments: '{"id":"7"}' } },
          { id: "b", function: { name: "count", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: delimitResult("null", { runId: id, toolCallId: "a" }) },
      {
        role: "tool",
        tool_call_id: "b",
        content: delimitResult('{"of":"mails","count":3}', { runId: id, toolCallId: "b" }),
      },
    ]);
    expect((await h.steps(id)).get("tool 1.2 count")).toMatchObject({
      type: "tool",
      toolCallId: "b",
      outcome: "done",
      input: {},
      output: { of: "mails", count: 3 },
    });
  });

  test("gets the errors of arguments that are not JSON or do not parse, of unknown tools, and of tools that throw; none of them fails the run", async () => {
    const calls: unknown[] = [];
    const broken = defineTool({
      description: "Breaks",
      inputSchema: z.object({}),
      execute: () => {
        throw new RangeError("no such customer");
      },
    });
    const answers = [
      {
        calls: [
          { id: "a", name: "lookup", arguments: '{"id": ' },
          { id: "b", name: "lookup", arguments: { id: 7 } },
          { id: "c", name: "lokup", arguments: {} },
          { id: "d", name: "broken", arguments: {} },
        ],
      },
      { text: "Sorry" },
    ];
    const h = await agent(answers, { tools: { lookup: lookup(calls), broken } });
    const id = await h.start();
    expect((await h.finish(id)).run.output).toBe("Sorry");
    expect(calls).toEqual([]);
    const results = h.provider.requests[1]?.messages.slice(3).map(({ content }) => content);
    expect(results).toEqual([
      "The tool call was not executed: The arguments are not a JSON object.",
      "The tool call was not executed: /id: Invalid input: expected string, received number",
      'The tool call was not executed: There is no tool "lokup". Available tools: lookup, broken.',
      `The tool failed: ${delimitResult("RangeError: no such customer", { runId: id, toolCallId: "d" })}`,
    ]);
    expect([...(await h.steps(id)).values()].flatMap((step) => (step.type === "tool" ? [step.outcome] : []))).toEqual([
      "invalid",
      "invalid",
      "invalid",
      "failed",
    ]);
  });

  test("tries the call of a tool with retries again before the model gets its error, with one key", async () => {
    const keys: string[] = [];
    const flaky = (failures: number) =>
      defineTool({
        description: "Fails at first",
        inputSchema: z.object({}),
        retries: 2,
        backoff: "fixed",
        initialDelay: 1,
        timeout: "10s",
        execute: (_, { idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (keys.filter((key) => key === idempotencyKey).length <= failures) throw new Error("503");
          return "found";
        },
      });
    const calls = [
      { id: "a", name: "recovers", arguments: {} },
      { id: "b", name: "breaks", arguments: {} },
    ];
    const h = await agent([{ calls }, { text: "Done" }], { tools: { recovers: flaky(2), breaks: flaky(9) } });
    const id = await h.start();
    const { run, kinds } = await h.finish(id);
    expect(run).toMatchObject({ status: "completed", output: "Done", attempt: 1 });
    expect(keys).toEqual(["1.1 recovers", "1.2 breaks"].flatMap((name) => Array(3).fill(`${id}:tool ${name}`)));
    expect(h.provider.requests[1]?.messages.slice(3).map(({ content }) => content)).toEqual([
      delimitResult("found", { runId: id, toolCallId: "a" }),
      `The tool failed: ${delimitResult("Error: 503", { runId: id, toolCallId: "b" })}`,
    ]);
    const steps = await h.steps(id);
    expect([steps.get("tool 1.1 recovers"), steps.get("tool 1.2 breaks")]).toMatchObject([
      { outcome: "done", output: "found" },
      { outcome: "failed", output: "Error: 503" },
    ]);
    const ofBreaks = kinds.filter((kind) => kind.endsWith("tool 1.2 breaks"));
    expect(ofBreaks.map((kind) => kind.split(" ")[0])).toEqual([
      "step_started",
      "step_failed",
      "step_started",
      "step_failed",
      "step_started",
      "step_completed",
    ]);
  });

  test("ends with an output of its schema, also if the answer is a code block", async () => {
    const output = z.object({ queue: z.enum(["bugs", "other"]), urgent: z.boolean().default(false) });
    const h = await agent([{ text: '```json\n{ "queue": "bugs" }\n```' }], { output });
    const { run } = await h.finish(await h.start());
    expect(run.output).toEqual({ queue: "bugs", urgent: false });
    expect(h.provider.requests[0]?.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "answer", schema: { properties: { queue: { enum: ["bugs", "other"] } } } },
    });
    expect(h.provider.requests[0]?.messages[0]?.content).toContain('"enum":["bugs","other"]');
  });

  test("requests an output in the form of OpenAI's strict mode, and without that mode if it does not support the schema", async () => {
    for (const [output, strict] of [
      [z.object({ a: z.object({ b: z.int() }) }), true],
      [z.object({ a: z.object({ b: z.int().optional() }) }), false],
    ] as const) {
      const h = await agent([{ text: '{ "a": { "b": 1 } }' }], { output });
      expect((await h.finish(await h.start())).run.output).toEqual({ a: { b: 1 } });
      expect(h.provider.requests[0]?.response_format).toMatchObject({
        json_schema: {
          strict,
          schema: { additionalProperties: false, properties: { a: { additionalProperties: false } } },
        },
      });
      await h.close();
      harness = null;
    }
  });

  test("gets the validation issues of its output twice and can correct it", async () => {
    const output = z.object({ queue: z.enum(["bugs", "other"]) });
    const h = await agent([{ text: "bugs" }, { text: '{ "queue": "bug" }' }, { text: '{ "queue": "bugs" }' }], {
      output,
    });
    const { run, timeline } = await h.finish(await h.start());
    expect(run.output).toEqual({ queue: "bugs" });
    expect(timeline.filter(({ kind }) => kind === "log").map(({ data }) => data)).toEqual([
      { call: 1, why: "It is not JSON." },
      { call: 2, why: expect.stringContaining("/queue: Invalid option") },
    ]);
    expect(h.provider.requests[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringContaining("It is not JSON."),
    });
    expect(h.provider.requests[2]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringContaining("/queue: Invalid option"),
    });
  });

  test("fails when its output is wrong a third time", async () => {
    const h = await agent(() => ({ text: "no" }), { output: z.object({ queue: z.string() }) });
    const { run } = await h.finish(await h.start());
    expect(run).toMatchObject({ status: "failed", error: { name: "InvalidOutput" } });
    expect(h.provider.requests).toHaveLength(3);
  });

  test("fails when it reaches its maximum number of model calls", async () => {
    const h = await agent(() => ({ calls: [{ name: "lookup", arguments: { id: "1" } }] }), {
      tools: { lookup: lookup() },
      maxSteps: 3,
    });
    const { run } = await h.finish(await h.start());
    expect(run).toMatchObject({ status: "failed", error: { name: "max_steps_exceeded" } });
    expect(h.provider.requests).toHaveLength(3);
  });
});

/** An answer with this many calls. */
const many = (count: number) => ({
  calls: Array.from({ length: count }, (_, n) => ({ id: `c${n}`, name: "lookup", arguments: { id: String(n) } })),
});

describe("an agent's calls of tools", () => {
  test("are limited in one answer: an answer with more calls ends the run before any is made", async () => {
    const calls: unknown[] = [];
    const h = await agent([many(400), { text: "Done" }], { tools: { lookup: lookup(calls) } });
    const { run } = await h.finish(await h.start());
    expect(run).toMatchObject({
      status: "failed",
      error: {
        name: "max_tool_calls_exceeded",
        message: expect.stringMatching(
          /400 tool calls in one answer, but the limit is 20\. None of them was executed\. Raise maxToolCalls\.perAnswer/,
        ),
      },
    });
    expect([calls.length, h.provider.requests.length]).toEqual([0, 1]);
  });

  test("are limited in one run, over all its answers", async () => {
    const calls: unknown[] = [];
    const h = await agent(() => many(3), {
      tools: { lookup: lookup(calls) },
      maxToolCalls: { perAnswer: 3, perRun: 8 },
    });
    const { run } = await h.finish(await h.start());
    expect(run).toMatchObject({
      status: "failed",
      error: {
        name: "max_tool_calls_exceeded",
        message: expect.stringContaining("9 tool calls in this run, but the limit is 8"),
      },
    });
    expect([calls.length, h.provider.requests.length]).toEqual([6, 3]);
  });

  test("may be as many as the limits allow", async () => {
    const calls: unknown[] = [];
    const h = await agent([many(3), many(3), { text: "Done" }], {
      tools: { lookup: lookup(calls) },
      maxToolCalls: { perAnswer: 3, perRun: 6 },
    });
    expect((await h.finish(await h.start())).run).toMatchObject({ status: "completed", output: "Done" });
    expect(calls).toHaveLength(6);
  });
});

describe("a budget whose use the provider does not report", () => {
  test.each([
    ["in tokens", { budget: { tokens: 1_000_000 } }],
    ["in dollars", { budget: { usd: 100 }, prices: { "scripted-1": { input: 1, output: 1 } } }],
  ])("%s fails the run after the first call, before a tool is executed", async (_, options) => {
    const calls: unknown[] = [];
    const h = await agent(() => ({ calls: [{ name: "lookup", arguments: { id: "1" } }], tokens: null }), {
      tools: { lookup: lookup(calls) },
      ...options,
    });
    const { run } = await h.finish(await h.start());
    expect(run).toMatchObject({
      status: "failed",
      error: { name: "NoUsage", message: expect.stringContaining("does not report token usage") },
    });
    expect([calls.length, h.provider.requests.length]).toEqual([0, 1]);
  });

  test("does not matter to an agent without a budget", async () => {
    const h = await agent([{ text: "Hi", tokens: null }]);
    expect((await h.finish(await h.start())).run).toMatchObject({ status: "completed", output: "Hi" });
  });
});

describe("a failed model call", () => {
  test("with 429 is retried after the time that the provider requests, without occupying the worker", async () => {
    const h = await agent([{ status: 429, headers: { "retry-after": "7" }, message: "Slow down" }, { text: "Hi" }]);
    const id = await h.start();
    expect(await h.stretch()).toBe("waiting");
    expect(await h.store.nextAvailableAt("shared")).toBe(h.clock.now() + 7_000);
    expect((await h.finish(id)).run.output).toBe("Hi");
    expect((await h.steps(id)).get("model 1")).toEqual({
      type: "model_failure",
      kind: "rate_limited",
      message: "Slow down",
      status: 429,
      waitMs: 7_000,
    });
  });

  test("because the provider is overloaded is retried after growing pauses, five times in all", async () => {
    const h = await agent(() => ({ status: 529, message: "Overloaded" }));
    const id = await h.start();
    const { run } = await h.finish(id);
    expect(run).toMatchObject({
      status: "failed",
      error: {
        name: "ModelCallFailed",
        message: "The model call failed with status 529 (overloaded): Overloaded",
      },
    });
    const waits = [...(await h.steps(id)).values()].flatMap((step) =>
      step.type === "model_failure" ? [step.waitMs] : [],
    );
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, null]);
  });

  test("because the request is invalid is not retried, and no key is in the error", async () => {
    const h = await agent([{ status: 401, message: "Incorrect API key provided: sk-never-to-be-seen." }]);
    const id = await h.start();
    const { run, timeline } = await h.finish(id);
    expect(run.error?.message).toBe(
      "The model call failed with status 401 (rejected): Incorrect API key provided: [key]",
    );
    expect(JSON.stringify([run, timeline, await h.store.loadSteps(id)])).not.toContain("never-to-be-seen");
  });

  test("because the connection broke in the middle of the answer is retried, and the partial answer is dropped", async () => {
    const h = await agent([{ breaksOffAfter: "Half of" }, { text: "All of it" }]);
    const id = await h.start();
    expect((await h.finish(id)).run.output).toBe("All of it");
    expect((await h.steps(id)).get("model 1")).toMatchObject({ type: "model_failure", kind: "disconnected" });
    expect(h.provider.requests[1]?.messages).toHaveLength(2);
  });

  test("because it took too long is aborted, its connection closed, and it is retried", async () => {
    const h = await agent([{ hangsAfter: "Well" }, { text: "Hi" }], { built: { callTimeoutMs: 100 } });
    const id = await h.start();
    expect((await h.finish(id)).run.output).toBe("Hi");
    await h.provider.callerWent;
    expect((await h.steps(id)).get("model 1")).toMatchObject({ type: "model_failure", kind: "timed_out" });
  });
});

describe("a run of an agent", () => {
  test("that is canceled in the middle of an answer closes the connection and ends at once", async () => {
    const h = await agent([{ hangsAfter: "Well" }]);
    const id = await h.start();
    const arrived = h.provider.nextRequest();
    const handle = h.execute(await h.claim());
    await arrived;
    handle.interrupt({ kind: "canceled" });
    expect((await handle.ended).status).toBe("canceled");
    await handle.settled;
    await h.provider.callerWent;
    expect((await h.steps(id)).has("model 1")).toBe(false);
  });

  test("whose worker is lost continues after its completed steps: no answered call is repeated", async () => {
    const calls: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = defineTool({
      description: "Waits",
      inputSchema: z.object({}),
      execute: async (_, { abortSignal }) => {
        calls.push("slow");
        await Promise.race([
          gate.promise,
          new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason))),
        ]);
      },
    });
    const h = await agent(
      [
        {
          calls: [
            { id: "a", name: "lookup", arguments: { id: "7" } },
            { id: "b", name: "slow", arguments: {} },
          ],
        },
        { text: "Done" },
      ],
      { tools: { lookup: lookup(calls), slow } },
    );
    const id = await h.start();
    const handle = h.execute(await h.claim());
    await expect.poll(() => calls.length).toBe(2);
    handle.interrupt({ kind: "worker_shutdown" });
    expect((await handle.ended).status).toBe("queued");
    await handle.settled;
    gate.resolve();
    const { run } = await h.finish(id);
    expect(run).toMatchObject({ status: "completed", output: "Done", attempt: 1 });
    expect(calls).toEqual([[{ id: "7" }, `${id}:tool 1.1 lookup`], "slow", "slow"]);
    expect(h.provider.requests).toHaveLength(2);
  });

  test("that exceeds its budget in tokens fails immediately", async () => {
    const h = await agent(() => ({ calls: [{ name: "lookup", arguments: { id: "1" } }], tokens: [400, 100] }), {
      tools: { lookup: lookup() },
      budget: { tokens: 1_200 },
    });
    const { run } = await h.finish(await h.start());
    expect(run).toMatchObject({
      tokens: 1_500,
      costUsd: null,
      status: "failed",
      error: {
        name: "budget_exceeded",
        message:
          "The run has used 1,500 tokens, but its budget is 1,200. Raise budget.tokens of agent triage, or give the agent a smaller task.",
      },
    });
    expect(h.provider.requests).toHaveLength(3);
  });

  test("records its usage so far, even after a wait, and nothing twice", async () => {
    const price = { "scripted-1": { input: 2, output: 10 } };
    const h = await agent(
      [
        { calls: [{ name: "lookup", arguments: { id: "1" } }], tokens: [400, 100] },
        { status: 503, message: "busy" },
        { text: "Hi", tokens: [500, 20] },
      ],
      { tools: { lookup: lookup() }, prices: price },
    );
    const id = await h.start();
    expect(await h.stretch()).toBe("waiting");
    expect(await h.store.getRun(id)).toMatchObject({ tokens: 500, costUsd: 0.0018 });
    expect((await h.finish(id)).run).toMatchObject({ status: "completed", tokens: 1_020, costUsd: 0.003 });
    expect((await getAgentTrace(h, id)).costUsd).toBe(0.003);
  });

  test("that exceeds its budget in dollars fails, by the prices of the project", async () => {
    const h = await agent([{ text: "Hi", tokens: [1_000, 1_000] }], {
      budget: { usd: 0.01 },
      prices: { "scripted-1": { input: 2, output: 10 } },
    });
    const id = await h.start();
    const { run } = await h.finish(id);
    expect(run).toMatchObject({ tokens: 2_000, costUsd: 0.012, status: "failed", error: { name: "budget_exceeded" } });
    expect((await h.steps(id)).get("model 1")).toMatchObject({ costUsd: 0.012 });
  });

  test("with a budget in dollars and a model without a price fails before the first call, with a message that says how to fix it", async () => {
    const h = await agent([{ text: "Hi" }], { budget: { usd: 1 } });
    const { run } = await h.finish(await h.start());
    expect(run.error).toMatchObject({ name: "NoPrice", message: expect.stringContaining("modelPrices") });
    expect(h.provider.requests).toEqual([]);
  });

  test("of a webhook has delimiters around the values of the payload in its prompt, and keeps the marks", async () => {
    const h = await agent([{ text: "Hi" }], { prompt: "New ticket from {{ from }}: {{ subject }}!" });
    const id = await h.start({
      attachmentId: "mail:triage",
      trigger: "mail",
      input: null,
      payload: { from: "ada@example.com", subject: "Help" },
    });
    const { run } = await h.finish(id);
    expect(run.input).toEqual({
      prompt: "New ticket from ada@example.com: Help!",
      marks: [
        { start: 16, end: 31, path: "from" },
        { start: 33, end: 37, path: "subject" },
      ],
    });
    const prompt = (await h.steps(id)).get("prompt");
    const boundary = prompt?.type === "prompt" ? prompt.boundary : null;
    expect(boundary).toMatch(/^[0-9a-f]{16}$/);
    expect(h.provider.requests[0]?.messages[1]?.content).toBe(
      `New ticket from <payload-${boundary}>ada@example.com</payload-${boundary}>: <payload-${boundary}>Help</payload-${boundary}>!`,
    );
    expect(h.provider.requests[0]?.messages[0]?.content).toContain(
      `The text between <payload-${boundary}> and </payload-${boundary}> comes from an external webhook.`,
    );
  });

  test("whose prompt function throws fails with that error, before any model call", async () => {
    const h = await agent([{ text: "Hi" }], {
      prompt: () => {
        throw new Error("no template for this");
      },
    });
    const { run } = await h.finish(
      await h.start({ attachmentId: "mail:triage", trigger: "mail", input: null, payload: {} }),
    );
    expect(run.error).toMatchObject({
      name: "PromptFailed",
      message: "The prompt of trigger mail threw Error: no template for this",
    });
    expect(h.provider.requests).toEqual([]);
  });
});

const refund = (calls: unknown[]) =>
  defineTool({
    description: "Pays back",
    inputSchema: z.object({ cents: z.int() }),
    needsApproval: ({ cents }) => cents > 100,
    execute: (input) => calls.push(input),
  });
const script = [
  {
    calls: [
      { id: "a", name: "refund", arguments: { cents: 500 } },
      { id: "b", name: "refund", arguments: { cents: 50 } },
    ],
  },
  { text: "Done" },
];
const decide = (h: Harness, id: string, isApproved: boolean, reason: string | null = null) =>
  h.store.decideApproval({
    runId: id,
    name: "approval 1.1 refund",
    decision: { isApproved, reason, by: "Ada" },
    now: h.clock.now(),
  });

describe("a tool that needs approval", () => {
  test("is executed when a person approves it, after all others, and occupies no worker while it waits", async () => {
    const calls: unknown[] = [];
    const h = await agent(script, { tools: { refund: refund(calls) } });
    const id = await h.start();
    expect(await h.stretch()).toBe("waiting");
    expect(calls).toEqual([{ cents: 50 }]);
    expect(await getAgentTrace(h, id)).toMatchObject({
      approvals: [
        {
          name: "approval 1.1 refund",
          request: { toolCallId: "a", toolName: "refund", input: { cents: 500 } },
          decision: null,
          decidedAt: null,
        },
      ],
    });
    h.advance(3 * 24 * 3_600_000);
    expect(await decide(h, id, true)).toBe("decided");
    const { run, kinds } = await h.finish(id);
    expect(run).toMatchObject({ status: "completed", output: "Done", attempt: 1 });
    expect(calls).toEqual([{ cents: 50 }, { cents: 500 }]);
    expect(kinds.filter((kind) => kind.startsWith("approval"))).toEqual([
      "approval_requested approval 1.1 refund",
      "approval_decided approval 1.1 refund",
    ]);
    expect(h.provider.requests).toHaveLength(2);
    expect(await getAgentTrace(h, id)).toMatchObject({
      approvals: [{ decision: { isApproved: true, by: "Ada" } }],
      usage: { inputTokens: 200, outputTokens: 20 },
      costUsd: null,
    });
  });

  test("is not executed if a person denies it, and the model gets the reason", async () => {
    const calls: unknown[] = [];
    const h = await agent(script, { tools: { refund: refund(calls) } });
    const id = await h.start();
    await h.stretch();
    await decide(h, id, false, "Ask the manager first.");
    expect((await h.finish(id)).run.output).toBe("Done");
    expect(calls).toEqual([{ cents: 50 }]);
    expect(h.provider.requests[1]?.messages[3]).toMatchObject({
      tool_call_id: "a",
      content: "A person denied this call. It was not executed. Reason: Ask the manager first. Do not repeat it.",
    });
    expect((await h.steps(id)).get("tool 1.1 refund")).toMatchObject({
      outcome: "denied",
      output: "Ask the manager first.",
    });
  });

  test("is denied without a decision within thirty days", async () => {
    const calls: unknown[] = [];
    const h = await agent(script, { tools: { refund: refund(calls) } });
    const id = await h.start();
    await h.stretch();
    expect(await h.store.nextAvailableAt("shared")).toBe(h.clock.now() + 30 * 24 * 3_600_000);
    expect((await h.finish(id)).run.output).toBe("Done");
    expect(calls).toEqual([{ cents: 50 }]);
    expect((await h.steps(id)).get("tool 1.1 refund")).toMatchObject({
      outcome: "denied",
      output: "The approval timed out.",
    });
  });

  test("is denied after its own approvalTimeout", async () => {
    const h = await agent(script, {
      tools: {
        refund: defineTool({
          description: "Pays back",
          inputSchema: z.object({ cents: z.int() }),
          needsApproval: ({ cents }) => cents > 100,
          approvalTimeout: "4h",
          execute: () => "paid",
        }),
      },
    });
    const id = await h.start();
    await h.stretch();
    expect(await h.store.nextAvailableAt("shared")).toBe(h.clock.now() + 4 * 3_600_000);
    expect((await h.finish(id)).run.output).toBe("Done");
    expect((await h.steps(id)).get("tool 1.1 refund")).toMatchObject({
      outcome: "denied",
      output: "The approval timed out.",
    });
  });

  test("lets its run be canceled while it waits", async () => {
    const h = await agent(script, { tools: { refund: refund([]) } });
    const id = await h.start();
    await h.stretch();
    expect(await h.store.requestCancel(id, h.clock.now())).toBe("canceled");
    expect(await decide(h, id, true)).toBe("closed");
  });
});
