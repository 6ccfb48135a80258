import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../sdk/agent/index.ts";
import { createClient } from "../../sdk/client/index.ts";
import { sensitive } from "../../sdk/trigger/index.ts";
import type { JsonSchemaObject } from "../contract/json.ts";
import { sensitiveKeyword } from "../domain/privacy/sensitive-schema.ts";
import { silentLogger } from "../ports/logger.ts";
import { waitReporter } from "../../sdk/definition.ts";
import { ChildRunError, defineWorkflow, type WorkflowContext } from "../../sdk/workflow/index.ts";
import type { RunTransition } from "../ports/store/engine-store.ts";
import { aConcurrency } from "../store/testing/factories.ts";
import { executeRun, reportWait } from "./execute-run.ts";
import { createEngineHarness, type TestWorkflow } from "./testing/engine-harness.ts";

const hour = 3_600_000;
/** The workflow of the harness, as its own child. */
const work = defineWorkflow({ slug: "work", input: z.looseObject({}), run: () => null as unknown });
const strict = { ...work, input: z.object({ amount: z.number() }) } as typeof work;
const missing = defineWorkflow({ slug: "worked", input: z.object({}), run: () => null });
const model = { specificationVersion: "v3", provider: "p", modelId: "m", doStream: async () => ({}) };
const triage = defineAgent({ slug: "triage", model, instructions: "Sort." });

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
beforeEach(async () => void (engine = await createEngineHarness()));
afterEach(() => engine.close());

const workflow = (run: (ctx: WorkflowContext) => unknown): TestWorkflow => ({
  run: (_: never, ctx: WorkflowContext) => run(ctx),
});
/** Executes the run that is due, and settles its family. */
async function execute(given: TestWorkflow) {
  const run = await engine.claim();
  const { status, error } = await engine.execute(run, given).ended;
  while (await engine.store.settleRuns({ now: engine.clock.now(), limit: 10 }));
  return { id: run.id, status, error };
}
async function endChild(transition: RunTransition) {
  const run = await engine.claim();
  const now = engine.clock.now();
  await engine.store.writeProgress({ runId: run.id, token: run.token, now, entries: [], transition });
  while (await engine.store.settleRuns({ now, limit: 10 }));
  return run;
}
const childrenOf = async (id: string) =>
  (await engine.store.listRuns({ childOf: id }, { limit: 100, cursor: null })).data;

describe("ctx.call", () => {
  const calling = workflow((ctx) => ctx.call("charge", work, { amount: 7 }, { key: "customer 7" }));

  it("suspends the run until the child has completed, and returns its output", async () => {
    const id = await engine.createRun();
    expect((await execute(calling)).status).toBe("waiting");
    const child = await endChild({ to: "completed", output: { receipt: "r" } });
    expect(child).toMatchObject({ childOf: id, depth: 1, input: { amount: 7 }, maxAttempts: 3 });
    expect((await execute(calling)).status).toBe("completed");
    const { run, kinds } = await engine.read(id);
    expect(run.output).toEqual({ receipt: "r" });
    expect(kinds).toEqual([
      "queued",
      "attempt_started",
      "child_started charge",
      "child_finished charge",
      "resumed",
      "completed",
    ]);
    expect(await childrenOf(id)).toMatchObject([{ id: child.id, key: "customer 7", startedBy: "parent" }]);
  });

  it.each<[string, RunTransition, Partial<ChildRunError>]>([
    [
      "fails",
      { to: "failed", error: { name: "Declined", message: "no funds", stack: null } },
      { status: "failed", error: { name: "Declined", message: "no funds" } },
    ],
    ["is canceled", { to: "canceled", error: null }, { status: "canceled", error: null }],
    [
      "times out",
      { to: "timed_out", error: { name: "RunTimedOut", message: "late", stack: null } },
      { status: "timed_out", error: { name: "RunTimedOut", message: "late" } },
    ],
  ])("throws a ChildRunError if the child %s, which does not repeat its error", async (_, transition, expected) => {
    const caught: unknown[] = [];
    const catching = workflow(async (ctx) => {
      try {
        return await ctx.call("charge", work, {});
      } catch (error) {
        caught.push(error);
        return "caught";
      }
    });
    const id = await engine.createRun();
    await execute(catching);
    const child = await endChild(transition);
    expect((await execute(catching)).status).toBe("completed");
    expect((await engine.read(id)).run.output).toBe("caught");
    const [error] = caught;
    expect(error).toBeInstanceOf(ChildRunError);
    expect(error).toMatchObject({ ...expected, runId: child.id, retryable: false });
    expect((error as Error).message).not.toMatch(/no funds|late/);
  });

  it("fails the run at once if the error is not caught, even if attempts are left", async () => {
    const id = await engine.createRun({ maxAttempts: 5 });
    await execute(calling);
    const child = await endChild({ to: "failed", error: { name: "Declined", message: "no funds", stack: null } });
    expect((await execute(calling)).status).toBe("failed");
    expect((await engine.read(id)).run.error).toMatchObject({
      name: "ChildRunError",
      message: `The child run ${child.id} of work failed.`,
    });
  });

  it("times out, and cancels the child", async () => {
    const limited = workflow((ctx) => ctx.call("charge", work, {}, { timeout: "1h" }));
    const id = await engine.createRun();
    await execute(limited);
    const [child] = await childrenOf(id);
    // The child waits for something else.
    await endChild({ to: "waiting", reason: "sleep", availableAt: engine.clock.now() + 99 * hour });
    engine.advance(hour);
    expect((await execute(limited)).status).toBe("waiting");
    expect((await execute(limited)).error).toMatchObject({
      name: "ChildRunError",
      message: `The call of work timed out before its run ${child?.id} ended.`,
    });
    expect((await childrenOf(id))[0]?.status).toBe("canceled");
  });

  it("starts all calls that are made together in a few writes, each once, and returns all results", async () => {
    const items = Array.from({ length: 250 }, (_, at) => at);
    const all = workflow((ctx) => Promise.all(items.map((item) => ctx.call(`item ${item}`, work, { item }))));
    const id = await engine.createRun();
    const run = await engine.claim();
    const writes: number[] = [];
    const progress = {
      ...engine.store,
      writeProgress: (write: Parameters<typeof engine.store.writeProgress>[0]) => {
        if (write.children) writes.push(write.children.length);
        return engine.store.writeProgress(write);
      },
    };
    expect((await engine.execute(run, all, { progress }).ended).status).toBe("waiting");
    expect(writes).toEqual([100, 100, 50]);
    const children = await engine.store.claimRuns({
      slots: items.map(() => "wrk_test"),
      now: engine.clock.now(),
      leaseMs: hour,
      limits: new Map(),
      pool: "shared",
    });
    const now = engine.clock.now();
    for (const { id: runId, token, inputText } of children) {
      const transition = { to: "completed", output: JSON.parse(inputText ?? "") } as const;
      await engine.store.writeProgress({ runId, token, now, entries: [], transition });
    }
    while (await engine.store.settleRuns({ now, limit: 100 }));
    expect((await execute(all)).status).toBe("completed");
    expect((await engine.read(id)).run.output).toEqual(items.map((item) => ({ item })));
  });

  it("waits beside steps, sleeps and other calls; the losers of a race do not keep the run open", async () => {
    const racing = workflow((ctx) =>
      Promise.race([ctx.call("slow", work, {}), ctx.call("fast", work, {}), ctx.sleep("limit", "1h").then(() => null)]),
    );
    const id = await engine.createRun();
    await execute(racing);
    await endChild({ to: "waiting", reason: "sleep", availableAt: engine.clock.now() + 99 * hour });
    await endChild({ to: "completed", output: "fast" });
    expect((await execute(racing)).status).toBe("completed");
    expect((await engine.read(id)).run.output).toBe("fast");
    // A run that completes leaves its other children alone.
    expect((await childrenOf(id)).map(({ status }) => status).toSorted()).toEqual(["completed", "waiting"]);
  });

  it("of a run that continues after a crash does not start the child again", async () => {
    const id = await engine.createRun();
    const run = await engine.claim("wrk_lost");
    void engine.execute(
      run,
      workflow((ctx) => Promise.all([ctx.call("charge", work, {}), new Promise(() => {})])),
    );
    await expect.poll(async () => (await childrenOf(id)).length).toBe(1);
    await engine.store.releaseLostRuns({
      workerId: "wrk_lost",
      now: engine.clock.now(),
      message: "crashed",
      runs: [{ id, fate: { kind: "resume" } }],
    });
    const resumed = workflow((ctx) => (ctx.run.id === id ? ctx.call("charge", work, {}) : "output of the child"));
    while ((await engine.read(id)).run.status !== "completed") await execute(resumed);
    expect((await engine.read(id)).run.output).toBe("output of the child");
    expect(await childrenOf(id)).toHaveLength(1);
  });

  it("fails with a clear error at a depth of more than 20 runs", async () => {
    const parent = await engine.createRun();
    await engine.claim();
    const child = { of: parent, step: "deep", link: "call", depth: 20 } as const;
    const id = await engine.createRun({ startedBy: "parent", child });
    expect((await execute(calling)).status).toBe("failed");
    expect((await engine.read(id)).run.error).toMatchObject({
      name: "ChildTooDeep",
      message: expect.stringContaining('ctx.call("charge", …): this run is a child at depth 20'),
    });
  });
});

const callKey = (key: string, link: "call" | "start" = "call"): TestWorkflow =>
  workflow((ctx) => ctx[link]("charge", work, {}, { key }));

it("a ChildRunError of a family names the run that failed first", async () => {
  const id = await engine.createRun();
  const calling = workflow((ctx) => ctx.call("charge", work, {}));
  await execute(calling);
  const message = "The child run run_01K9ZR7M3QD4V8XN2T5B6C7E8F of leaf failed.";
  const child = await endChild({ to: "failed", error: { name: "ChildRunError", message, stack: null } });
  await execute(calling);
  expect((await engine.read(id)).run.error?.message).toBe(
    `The child run ${child.id} of work failed. The first failure is that of run_01K9ZR7M3QD4V8XN2T5B6C7E8F.`,
  );
});

it.each(["call", "start"] as const)(
  "ctx.%s without await starts nothing, and the run has a warning",
  async (method) => {
    const id = await engine.createRun();
    const forgetting = workflow((ctx) => {
      void ctx[method]("charge", work, {}).catch(() => {});
      return "returned";
    });
    expect((await execute(forgetting)).status).toBe("completed");
    expect(await childrenOf(id)).toEqual([]);
    expect(
      (await engine.read(id)).timeline.filter(({ level }) => level === "warn").map((entry) => entry.message),
    ).toEqual([`ctx.${method}("charge", …) was not awaited, so the run was not started. Write \`await\` before it.`]);
  },
);

it("a key with a sensitive value of the run is rejected, and nothing is started", async () => {
  const secret = "GB33BUKB20201555555555";
  const input = z.object({ iban: sensitive(z.string()) });
  const schema = { type: "object", properties: { iban: { type: "string", [sensitiveKeyword]: true } } };
  const keyed: TestWorkflow = {
    input,
    run: (_: never, ctx: WorkflowContext) => ctx.call("pay", work, {}, { key: secret }),
  };
  const id = await engine.createRun({ input: { iban: secret } });
  const run = await engine.claim();
  const code = engine.code(keyed);
  const [built] = code.manifest.workflows;
  if (built) built.input = schema as JsonSchemaObject;
  const options = { progress: engine.store, code, clock: engine.clock, logger: silentLogger, random: () => 0.5 };
  await executeRun(run, options).ended;
  const { error } = (await engine.read(id)).run;
  expect(error?.name).toBe("SensitiveKey");
  expect(error?.message).not.toContain(secret);
  expect(await childrenOf(id)).toEqual([]);
});

describe("a call whose child would wait for a slot of the runs above it", () => {
  const held = aConcurrency({ perKey: 1 });
  it("fails with a clear error, and starts nothing", async () => {
    const id = await engine.createRun({ key: "customer 7" });
    await execute({ ...callKey("customer 7"), concurrency: held });
    expect((await engine.read(id)).run.error).toMatchObject({
      name: "ChildWaitsForParent",
      message: expect.stringContaining('all slots of the key "customer 7"'),
    });
    expect(await childrenOf(id)).toEqual([]);
  });

  it("fails if the runs above it count towards the limit of its target", async () => {
    const id = await engine.createRun();
    await execute({ ...callKey("any"), concurrency: aConcurrency({ limit: 1, whileWaiting: "hold" }) });
    expect((await engine.read(id)).run.error?.message).toContain("all slots of its target");
  });

  it.each<[string, TestWorkflow]>([
    ["another key", { ...callKey("customer 8"), concurrency: held }],
    ["whileWaiting: release", { ...callKey("customer 7"), concurrency: { ...held, whileWaiting: "release" } }],
    ["ctx.start", { ...callKey("customer 7", "start"), concurrency: held }],
  ])("starts with %s", async (_, given) => {
    const id = await engine.createRun({ key: "customer 7" });
    await execute(given);
    expect(await childrenOf(id)).toHaveLength(1);
  });
});

describe("ctx.start", () => {
  it("starts a child, returns its id without waiting, and the child continues after the run", async () => {
    const starting = workflow(async (ctx) => (await ctx.start("notify", work, { to: "Ada" })).id);
    const id = await engine.createRun();
    expect((await execute(starting)).status).toBe("completed");
    const { run, kinds } = await engine.read(id);
    const [child] = await childrenOf(id);
    expect(run.output).toBe(child?.id);
    expect(kinds).toEqual(["queued", "attempt_started", "child_started notify", "completed"]);
    expect(child?.status).toBe("queued");
    await endChild({ to: "failed", error: { name: "Error", message: "no", stack: null } });
    expect((await engine.read(id)).run.status).toBe("completed");
  });

  it("returns the same id in every execution", async () => {
    const seen: string[] = [];
    const starting = workflow(async (ctx) => {
      seen.push((await ctx.start("notify", work, {})).id);
      await ctx.sleep("pause", "1h");
    });
    const id = await engine.createRun();
    await execute(starting);
    await endChild({ to: "completed", output: null });
    engine.advance(hour);
    expect((await execute(starting)).status).toBe("completed");
    expect(new Set(seen)).toEqual(new Set((await childrenOf(id)).map((child) => child.id)));
  });
});

describe("a wrong call", () => {
  it.each<[string, (ctx: WorkflowContext) => Promise<unknown>, string, string]>([
    [
      "a target that is no definition",
      (ctx) => ctx.call("c", {} as never, {} as never),
      "TypeError",
      "needs a workflow or an agent",
    ],
    [
      "an unknown option",
      (ctx) => ctx.call("c", work, {}, { retries: 1 } as never),
      "TypeError",
      'no option "retries"',
    ],
    [
      "a timeout of ctx.start",
      (ctx) => ctx.start("c", work, {}, { timeout: "1h" } as never),
      "TypeError",
      'no option "timeout"',
    ],
    ["no name", (ctx) => ctx.call("", work, {}), "TypeError", 'ctx.call("", …): the name must be'],
    ["a timeout of 0", (ctx) => ctx.call("c", work, {}, { timeout: 0 }), "TypeError", "timeout is 0"],
    ["a timeout that is too long", (ctx) => ctx.call("c", work, {}, { timeout: "367d" }), "TypeError", "timeout is"],
    ["an empty key", (ctx) => ctx.call("c", work, {}, { key: "" }), "TypeError", "key is"],
    ["a key that is too long", (ctx) => ctx.call("c", work, {}, { key: "k".repeat(201) }), "TypeError", "key is"],
    [
      "another onParentEnd",
      (ctx) => ctx.call("c", work, {}, { onParentEnd: "stop" as never }),
      "TypeError",
      "onParentEnd is",
    ],
    ["an agent's input without a prompt", (ctx) => ctx.call("c", triage, {} as never), "UnknownTarget", "agent triage"],
    ["an input that does not parse", (ctx) => ctx.call("c", strict, { amount: "7" }), "InvalidInput", "/amount"],
    ["an input without a JSON form", (ctx) => ctx.start("c", work, { amount: 7n }), "NotJson", "/amount is a bigint"],
    [
      "a workflow that is not in the build",
      (ctx) => ctx.call("c", missing, {}),
      "UnknownTarget",
      'Did you mean "work"?',
    ],
  ])("with %s fails the run and starts nothing", async (_, call, name, message) => {
    const id = await engine.createRun({ maxAttempts: 5 });
    expect((await execute(workflow(call))).status).toBe("failed");
    expect((await engine.read(id)).run.error).toMatchObject({ name, message: expect.stringContaining(message) });
    expect(await childrenOf(id)).toEqual([]);
  });

  it("in the function of a step is rejected", async () => {
    const id = await engine.createRun();
    await execute(workflow((ctx) => ctx.step("outer", () => ctx.call("inner", work, {}))));
    expect((await engine.read(id)).run.error?.name).toBe("StepInStep");
  });
});

it("a run whose code waits for another run with the client has one warning that recommends ctx.call", async () => {
  Reflect.set(globalThis, waitReporter, reportWait);
  const client = createClient({
    url: "http://127.0.0.1:3000",
    fetch: async () => Response.json({ id: "run_2", status: "completed", output: 7 }),
  });
  const id = await engine.createRun();
  await execute(
    workflow((ctx) => ctx.step("wait", async () => [await client.waitFor("run_2"), await client.waitFor("run_2")])),
  );
  Reflect.deleteProperty(globalThis, waitReporter);
  const { run, timeline } = await engine.read(id);
  expect(run.output).toEqual([7, 7]);
  expect(timeline.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
    expect.stringMatching(/^The code waits for run run_2 with the client.* Use ctx\.call: it waits without a slot\.$/),
  ]);
});
