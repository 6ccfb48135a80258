import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { WorkflowContext as Ctx } from "../../sdk/workflow/index.ts";
import { type TestWorkflow, createEngineHarness } from "./testing/engine-harness.ts";

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
beforeEach(async () => {
  engine = await createEngineHarness();
});
afterEach(() => engine.close());

const fail = (thrown: unknown, maxAttempts = 1) =>
  engine.attempt(
    {
      run: () => {
        throw thrown;
      },
    },
    { maxAttempts },
  );

const hang = () => new Promise<never>(() => {});

/** The recorded input when the code begins, and at the end. No time passes, so no timer writes it in between. */
const recordedInputs = async (input: z.ZodType, transform?: (payload: { email: string }) => unknown) => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const id = await engine.createRun({
    payload: { email: "a@b.c", of: [1] },
    input: null,
    attachmentId: "knock:work",
    trigger: "knock",
  });
  let first: unknown;
  await engine.execute(
    await engine.claim(),
    { input, run: async () => void (first = (await engine.store.getRun(id))?.input) },
    transform ? { transform } : {},
  ).ended;
  return [first, (await engine.read(id)).run.input];
};

describe("input", () => {
  test("is the payload through the transform, then through the input schema, and is recorded", async () => {
    const { run } = await engine.attempt(
      { input: z.object({ to: z.string().trim(), copies: z.number().default(1) }), run: (input) => ({ seen: input }) },
      { payload: { email: " a@b.c " }, input: null, attachmentId: "knock:work", trigger: "knock" },
      { transform: (payload: { email: string }) => ({ to: payload.email }) },
    );
    expect(run).toMatchObject({
      status: "completed",
      input: { to: "a@b.c", copies: 1 },
      output: { seen: { to: "a@b.c", copies: 1 } },
    });
  });

  test("is built by the transform from the payload and the request, without credentials and signatures", async () => {
    const id = await engine.createRun({
      payload: { email: "a@b.c" },
      input: null,
      attachmentId: "knock:work",
      trigger: "knock",
    });
    const seen: unknown[] = [];
    const headers = {
      "x-event": "a",
      "x-hub-signature-256": "sha256=1",
      "x-gitlab-token": "t",
      cookie: "[redacted]",
      "x-topic": "b, c",
      "signalbox-repeated-headers": '{"x-topic":["b","c"]}',
    };
    const request = { deliveryId: "dlv_1", receivedAt: 1_700_000_000_000, headers };
    await engine.execute(
      { ...(await engine.claim()), request },
      { run: () => null },
      { transform: (payload: { email: string }, context: object) => (seen.push(payload, context), {}) },
    ).ended;
    expect(seen).toEqual([
      { email: "a@b.c" },
      {
        headers: { "x-event": "a", "x-topic": "b" },
        query: {},
        deliveryId: "dlv_1",
        receivedAt: "2023-11-14T22:13:20.000Z",
        endpoint: expect.any(String),
      },
    ]);
    expect((await engine.read(id)).run.status).toBe("completed");
  });

  test("of a run that no webhook started is built without headers", async () => {
    const seen: object[] = [];
    const { run } = await engine.attempt(
      { run: () => null },
      { payload: {}, input: null, attachmentId: "knock:work", trigger: "knock" },
      { transform: (_: object, context: object) => (seen.push(context), {}) },
    );
    expect(seen).toEqual([
      { headers: {}, query: {}, deliveryId: null, receivedAt: run.createdAt, endpoint: expect.any(String) },
    ]);
  });

  test("is recorded before the code begins if another attempt might produce a different one", async () => {
    let made = 0;
    const all = { email: "a@b.c", of: [1] };
    expect(await recordedInputs(z.object({ email: z.string(), id: z.number().default(() => (made += 1)) }))).toEqual([
      { email: "a@b.c", id: 1 },
      { email: "a@b.c", id: 1 },
    ]);
    expect(await recordedInputs(z.looseObject({}), (payload) => payload)).toEqual([all, all]);
  });

  test("that is a part of the delivery is recorded with the first write of the code", async () => {
    expect(await recordedInputs(z.looseObject({}))).toEqual([null, { email: "a@b.c", of: [1] }]);
    expect(await recordedInputs(z.object({ of: z.array(z.number()) }))).toEqual([null, { of: [1] }]);
    expect(await recordedInputs(z.object({}))).toEqual([null, {}]);
    // Every attempt parses it again: the given input is recorded.
    expect(await recordedInputs(z.object({ email: z.string().transform((text) => text.length) }))).toEqual([
      null,
      { email: "a@b.c", of: [1] },
    ]);
  });

  test("that is a part of the input that the run was started with is recorded with the first write of the code", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const seen: unknown[] = [];
    for (const input of [z.object({ of: z.number() }), z.object({ of: z.number(), id: z.number().default(1) })]) {
      const id = await engine.createRun({ input: { of: 2, more: 3 } });
      const run = async () => void seen.push((await engine.store.getRun(id))?.input);
      await engine.execute(await engine.claim(), { input, run }).ended;
      seen.push((await engine.read(id)).run.input);
    }
    // The second has a default: it is recorded before the code begins.
    expect(seen).toEqual([{ of: 2, more: 3 }, { of: 2 }, { of: 2, id: 1 }, { of: 2, id: 1 }]);
  });

  test("is recorded as given if parsing the parsed value again would reject it", async () => {
    const { run } = await engine.attempt(
      { input: z.object({ name: z.string().min(5).trim() }), run: (input: { name: string }) => input.name },
      { input: { name: "  abc" } },
    );
    expect(run).toMatchObject({ status: "completed", input: { name: "  abc" }, output: "abc" });
  });

  test("that does not parse fails the run at once, with pointers, regardless of the attempts left", async () => {
    const { run, timeline } = await engine.attempt(
      { input: z.object({ "a/b": z.object({ n: z.number() }) }), run: () => null },
      { input: { "a/b": { n: "1" } }, maxAttempts: 5 },
    );
    expect(run).toMatchObject({
      status: "failed",
      attempt: 1,
      error: { name: "InvalidInput", message: expect.stringContaining("/a~1b/n: ") },
    });
    expect(timeline.find(({ kind }) => kind === "attempt_failed")?.data).toMatchObject({
      errors: [{ pointer: "/a~1b/n", code: "invalid_type" }],
    });
  });

  test("of a transform that throws fails the run at once, with the transform's own stack as the cause", async () => {
    const { run } = await engine.attempt(
      { run: () => null },
      { payload: {}, input: null, attachmentId: "knock:work", trigger: "knock", maxAttempts: 5 },
      { transform: () => Promise.reject(new RangeError("no such plan")) },
    );
    expect(run).toMatchObject({
      status: "failed",
      error: { name: "TransformFailed", message: "The transform of trigger knock threw RangeError: no such plan" },
    });
    expect(run.error?.stack).toMatch(/caused by RangeError: no such plan/);
  });

  test.each([
    ["a workflow", { target: { kind: "workflow" as const, slug: "gone" } }, "UnknownTarget"],
    ["a trigger", { payload: {}, input: null, attachmentId: "gone:work", trigger: "gone" }, "UnknownTrigger"],
  ])("for %s that is not in this build fails the run and says how to fix it", async (_, over, name) => {
    const { run } = await engine.attempt({ run: () => null }, { ...over, maxAttempts: 5 });
    expect(run).toMatchObject({
      status: "failed",
      error: {
        name,
        message: expect.stringMatching(
          /Deploy a build that has it, then continue the run with `signalbox runs resume`\.$/,
        ),
      },
    });
  });
});

describe("output", () => {
  test("is the JSON form of the returned value, and null for undefined", async () => {
    const at = new Date(0);
    expect((await engine.attempt({ run: () => ({ at, gone: undefined }) })).run.output).toEqual({
      at: "1970-01-01T00:00:00.000Z",
    });
    expect((await engine.attempt({ run: () => undefined })).run).toMatchObject({ status: "completed", output: null });
  });

  test.each([
    ["a bigint", () => ({ n: 1n })],
    [
      "a cycle",
      () => {
        const loop: Record<string, unknown> = {};
        loop["self"] = loop;
        return loop;
      },
    ],
  ])("that has %s fails the run with an error about its missing JSON form", async (_, run) => {
    const { run: ended } = await engine.attempt({ run }, { maxAttempts: 5 });
    expect(ended).toMatchObject({
      status: "failed",
      error: {
        name: "NotJson",
        message: expect.stringContaining("The output of workflow work cannot be stored as JSON"),
      },
    });
  });

  test("is parsed by the output schema; a mismatch fails the run without another attempt", async () => {
    const output = z.object({ id: z.string() });
    expect((await engine.attempt({ output, run: () => ({ id: "x", secret: 1 }) })).run.output).toEqual({ id: "x" });
    expect((await engine.attempt({ output, run: () => ({ id: 7 }) }, { maxAttempts: 5 })).run).toMatchObject({
      status: "failed",
      error: { name: "InvalidOutput" },
    });
  });
});

describe("errors", () => {
  test("are retried after the policy's wait while attempts are left, then fail the run", async () => {
    const id = await engine.createRun({ maxAttempts: 2 });
    const workflow = { run: () => Promise.reject(new Error("flaky")) };
    await engine.execute(await engine.claim(), workflow).ended;
    expect((await engine.read(id)).run).toMatchObject({ status: "waiting", attempt: 1 });
    await expect(engine.claim()).rejects.toThrow("no run is due");
    engine.advance(1000);
    await engine.execute(await engine.claim(), workflow).ended;
    const { run, kinds } = await engine.read(id);
    expect(run).toMatchObject({ status: "failed", attempt: 2, error: { name: "Error", message: "flaky" } });
    expect(kinds).toEqual([
      "queued",
      "attempt_started",
      "attempt_failed",
      "retry_scheduled",
      "attempt_started",
      "attempt_failed",
      "failed",
    ]);
  });

  test.each([
    ["retryable: false", Object.assign(new Error("no"), { retryable: false })],
    ["the name NonRetryableError", Object.assign(new Error("no"), { name: "NonRetryableError" })],
  ])("with %s are not retried", async (_, error) => {
    expect((await fail(error, 5)).run).toMatchObject({ status: "failed", attempt: 1 });
  });

  test("have the mapped stack and the chain of causes", async () => {
    const error = new Error("outer", { cause: new TypeError("inner", { cause: "just text" }) });
    error.stack = "Error: outer\n    at built.js:1:1";
    expect((await fail(error)).run.error?.stack).toMatch(
      /^Error: outer\n {4}at source\.ts:1:1\ncaused by TypeError: inner[^]*\ncaused by just text$/,
    );
  });

  test("show the line of the user's code that threw them or their cause", async () => {
    const cause = new TypeError("inner");
    cause.stack = "TypeError: inner\n    at built.js:1:1";
    const error = new Error("outer", { cause });
    error.stack = "Error: outer\n    at elsewhere.js:1:1";
    const { timeline } = await engine.attempt({
      run: (_: never, ctx: Ctx) => ctx.step("a", () => Promise.reject(error)),
    });
    const shown = timeline.filter(({ kind }) => ["step_failed", "attempt_failed", "failed"].includes(kind));
    expect(shown).toHaveLength(3);
    for (const { data } of shown)
      expect(data).toEqual({
        source: { file: "source.ts", line: 2, column: 3, lines: [{ number: 2, text: "  throw" }] },
      });
  });

  test("that do not come from the user's code show no line", async () => {
    const { timeline } = await fail(Object.assign(new Error("x"), { stack: "Error: x\n    at elsewhere.js:1:1" }));
    expect(timeline.find(({ kind }) => kind === "attempt_failed")?.data).toBeNull();
  });

  test.each([
    ["a text", "boom", "boom"],
    ["nothing", undefined, "undefined"],
    ["an object", { code: 7 }, '{"code":7}'],
  ])("that are %s instead of an error contain the thrown value", async (_, thrown, text) => {
    expect((await fail(thrown)).run.error).toMatchObject({
      name: "ThrownValue",
      message: expect.stringContaining(text),
      stack: null,
    });
  });

  test("with a getter that throws end the run like others", async () => {
    const trap = {
      get message() {
        throw new Error("gotcha");
      },
    };
    expect((await fail(trap)).run.status).toBe("failed");
  });
});

describe("steps", () => {
  test("that finished are not executed again in the next attempt, and give the same result", async () => {
    const executed: string[] = [];
    const seen: unknown[] = [];
    const workflow = {
      run: async (_: never, ctx: Ctx) => {
        seen.push(
          await ctx.step("a", () => {
            executed.push("a");
            return { at: new Date(0), gone: undefined };
          }),
        );
        await ctx.step("b", () => {
          executed.push("b");
          if (executed.filter((name) => name === "b").length === 1) throw new Error("first time");
        });
      },
    };
    const id = await engine.createRun({ maxAttempts: 2 });
    await engine.execute(await engine.claim(), workflow).ended;
    engine.advance(1000);
    await engine.execute(await engine.claim(), workflow).ended;
    expect(executed).toEqual(["a", "b", "b"]);
    expect(seen).toEqual([{ at: "1970-01-01T00:00:00.000Z" }, { at: "1970-01-01T00:00:00.000Z" }]);
    const { run, kinds } = await engine.read(id);
    expect(run.status).toBe("completed");
    expect(kinds.filter((kind) => kind.startsWith("step_"))).toEqual([
      "step_started a",
      "step_completed a",
      "step_started b",
      "step_failed b",
      "step_reused a",
      "step_started b",
      "step_completed b",
    ]);
  });

  test("of the same name are numbered in the order of their use, for any names", async () => {
    const keys: string[] = [];
    const { run } = await engine.attempt({
      run: async (_, ctx) => {
        for (const name of ["a", "a#2", "a", "a"])
          await ctx.step(name, ({ idempotencyKey }) => void keys.push(idempotencyKey));
        return ctx.run.id;
      },
    });
    expect(keys).toEqual(["a", "a#2", "a#3", "a#4"].map((name) => `${run.id}:${name}`));
  });

  test("may run concurrently, and a failure that the code catches does not fail the run", async () => {
    const { run, kinds } = await engine.attempt({
      run: async (_, ctx) =>
        (await Promise.allSettled([ctx.step("a", () => Promise.reject(new Error("a"))), ctx.step("b", () => 2)])).map(
          ({ status }) => status,
        ),
    });
    expect(run.output).toEqual(["rejected", "fulfilled"]);
    expect(kinds).toContain("step_failed a");
  });

  test("give results that the code may change without changing the stored ones", async () => {
    const { run } = await engine.attempt({
      run: async (_, ctx) => {
        const list = await ctx.step("list", () => [1]);
        list.push(2);
        return list;
      },
    });
    expect(run.output).toEqual([1, 2]);
    expect((await engine.store.loadSteps(run.id))[0]?.result).toEqual([1]);
  });

  test("whose result has no JSON form fail the run without another attempt", async () => {
    expect(
      (await engine.attempt({ run: (_, ctx) => ctx.step("big", () => 1n) }, { maxAttempts: 3 })).run,
    ).toMatchObject({ status: "failed", error: { name: "NotJson" } });
  });

  test.each([[""], [7], ["x".repeat(201)]])("reject %j as a name", async (name) => {
    expect((await engine.attempt({ run: (_, ctx) => ctx.step(name as string, () => 1) })).run.error).toMatchObject({
      name: "TypeError",
    });
  });

  test("that were a sleep when the run began are rejected with an explanation", async () => {
    const id = await engine.createRun();
    await engine.execute(await engine.claim(), { run: (_, ctx) => ctx.sleep("x", "1s") }).ended;
    engine.advance(1000);
    await engine.execute(await engine.claim(), { run: (_, ctx) => ctx.step("x", () => 1) }).ended;
    expect((await engine.read(id)).run.error).toMatchObject({ name: "StepChanged" });
  });
});

describe("sleeps", () => {
  test("do not repeat earlier log entries", async () => {
    const workflow = {
      run: async (_: never, ctx: Ctx) => {
        ctx.log.info("begins");
        await ctx.step("work", () => 1);
        ctx.log.info("works");
        await ctx.sleep("pause", "1h");
        ctx.log.info("woke");
        await ctx.step("more", () => 2);
        ctx.log.info("ends");
      },
    };
    const id = await engine.createRun();
    await engine.execute(await engine.claim(), workflow).ended;
    engine.advance(3_600_000);
    await engine.execute(await engine.claim(), workflow).ended;
    const { timeline } = await engine.read(id);
    expect(timeline.filter(({ kind }) => kind === "log").map(({ message }) => message)).toEqual([
      "begins",
      "works",
      "woke",
      "ends",
    ]);
  });

  test("suspend the run until their stored time, and end immediately afterwards", async () => {
    const executed: string[] = [];
    const workflow = {
      run: async (_: never, ctx: Ctx) => {
        await ctx.step("before", () => void executed.push("before"));
        await ctx.sleep("pause", "3d");
        await ctx.step("after", () => void executed.push("after"));
        return "rested";
      },
    };
    const id = await engine.createRun();
    const ending = await engine.execute(await engine.claim(), workflow).ended;
    expect(ending.status).toBe("waiting");
    expect(executed).toEqual(["before"]);
    engine.advance(3 * 86_400_000 - 1);
    await expect(engine.claim()).rejects.toThrow("no run is due");
    engine.advance(1);
    const again = await engine.claim();
    expect(again).toMatchObject({ attempt: 1, isResumed: true });
    await engine.execute(again, workflow).ended;
    const { run, kinds } = await engine.read(id);
    expect(run).toMatchObject({ status: "completed", output: "rested", attempt: 1 });
    expect(executed).toEqual(["before", "after"]);
    expect(kinds).toEqual(
      "queued, attempt_started, step_started before, step_completed before, sleep_started pause, resumed, step_reused before, sleep_finished pause, step_started after, step_completed after, completed".split(
        ", ",
      ),
    );
  });

  test.each(["200000000d", "36526d", Infinity, 1e15] as const)(
    "of %s are an error at the call, which has the limit",
    async (duration) => {
      const { run, timeline } = await engine.attempt({ run: (_, ctx) => ctx.sleep("pause", duration) });
      expect(run).toMatchObject({ status: "failed", error: { name: "TypeError" } });
      expect(run.error?.message).toContain(
        `ctx.sleep("pause", ${typeof duration === "number" ? duration : `"${duration}"`})`,
      );
      expect(run.error?.message).toContain('at most "36525d" (100 years)');
      expect(timeline.map(({ kind }) => kind)).not.toContain("sleep_started");
    },
  );

  test.each<[string, (at: number) => Date | string]>([
    ["a Date", (at) => new Date(at)],
    ["an ISO 8601 time in UTC", (at) => new Date(at).toISOString()],
    ["one with another offset", (at) => new Date(at + 3_600_000).toISOString().replace("Z", "+01:00")],
  ])("until %s end at that time, even if the code computes another one later", async (_, toTime) => {
    const at = engine.clock.now() + 3_600_000;
    const times = [at, at + 1_000_000];
    const workflow = { run: (_: never, ctx: Ctx) => ctx.sleepUntil("noon", toTime(times.shift() ?? 0)) };
    const id = await engine.createRun();
    expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("waiting");
    engine.advance(3_599_999);
    await expect(engine.claim()).rejects.toThrow("no run is due");
    engine.advance(1);
    await engine.execute(await engine.claim(), workflow).ended;
    expect((await engine.read(id)).run.status).toBe("completed");
  });

  test("until a time in the past are over at once", async () => {
    const { run } = await engine.attempt({ run: (_, ctx) => ctx.sleepUntil("past", "2001-01-01T00:00:00Z") });
    expect(run.status).toBe("completed");
  });

  test.each([
    "2026-01-31",
    "2026-01-31T12:00:00",
    "tomorrow",
    new Date(Number.NaN),
    1_800_000_000_000,
    null,
    new Date(8.64e15),
  ])("until %s are an error at the call", async (time) => {
    const { run } = await engine.attempt({ run: (_, ctx) => ctx.sleepUntil("noon", time as never) });
    expect(run).toMatchObject({ status: "failed", error: { name: "TypeError" } });
    expect(run.error?.message).toMatch(/^ctx\.sleepUntil\("noon", .*an ISO 8601 time with an offset/);
  });

  test("that are concurrent wake the run for the earliest, and keep the others", async () => {
    const workflow = {
      run: async (_: never, ctx: Ctx) => {
        await Promise.all([ctx.sleep("long", "2h"), ctx.sleep("short", "1h")]);
        return "both";
      },
    };
    const id = await engine.createRun();
    await engine.execute(await engine.claim(), workflow).ended;
    engine.advance(3_600_000);
    expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("waiting");
    engine.advance(3_600_000);
    await engine.execute(await engine.claim(), workflow).ended;
    expect((await engine.read(id)).run).toMatchObject({ status: "completed", output: "both" });
  });

  test("beside a step wait for the step's result to be stored", async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const workflow = {
      run: async (_: never, ctx: Ctx) => {
        await Promise.all([
          ctx.sleep("pause", "1h"),
          ctx.step("slow", async () => {
            await gate;
            return 1;
          }),
        ]);
      },
    };
    const id = await engine.createRun();
    const handle = engine.execute(await engine.claim(), workflow);
    await expect.poll(async () => (await engine.read(id)).kinds).toContain("sleep_started pause");
    expect((await engine.read(id)).run.status).toBe("running");
    release();
    expect((await handle.ended).status).toBe("waiting");
    expect((await engine.store.loadSteps(id)).find(({ name }) => name === "slow")).toMatchObject({ result: 1 });
  });

  test("that lost a race against a step lose it again when the code is executed again", async () => {
    const workflow = {
      run: async (_: never, ctx: Ctx) => {
        const winner = await Promise.race([
          ctx.sleep("limit", "1h").then(() => "limit"),
          ctx.step("work", () => "work"),
        ]);
        await ctx.sleep("rest", "2h");
        return winner;
      },
    };
    const id = await engine.createRun();
    await engine.execute(await engine.claim(), workflow).ended;
    for (let hours = 0; hours < 2; hours += 1) {
      engine.advance(3_600_000);
      await engine.execute(await engine.claim(), workflow).ended;
    }
    expect((await engine.read(id)).run).toMatchObject({ status: "completed", output: "work" });
  });

  test("do not count towards the timeout, code that ran before them does", async () => {
    const workflow = {
      timeoutMs: 60_000,
      run: async (_: never, ctx: Ctx) => {
        await ctx.step("work", () => void engine.advance(45_000));
        await ctx.sleep("pause", "1h");
        await hang();
      },
    };
    await engine.createRun();
    await engine.execute(await engine.claim(), workflow).ended;
    engine.advance(3_600_000);
    const handle = engine.execute(await engine.claim(), workflow);
    await expect.poll(() => handle.deadlineAt() - engine.clock.now()).toBe(15_000);
    handle.interrupt({ kind: "canceled" });
    await handle.ended;
  });

  test("a clock that is set forward or back while a run is active does not change the time that it has used", async () => {
    const start = performance.now();
    Object.assign(engine.clock, { elapsed: () => Math.round(performance.now() - start) });
    for (const jumpMs of [86_400_000, -3_600_000]) {
      const id = await engine.createRun();
      const workflow = {
        timeoutMs: 60_000,
        run: async (_: never, ctx: Ctx) => {
          await ctx.step("work", () => void engine.advance(jumpMs));
          await ctx.sleep("pause", "1s");
          return "done";
        },
      };
      const handle = engine.execute(await engine.claim(), workflow);
      await handle.ended;
      // The supervisor compares it with the clock.
      expect(handle.deadlineAt() - engine.clock.now()).toBeGreaterThan(30_000);
      expect(handle.deadlineAt() - engine.clock.now()).toBeLessThanOrEqual(60_000);
      engine.advance(1_000);
      expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("completed");
      const { timeline } = await engine.read(id);
      const durations = timeline.flatMap(({ durationMs }) => durationMs ?? []);
      expect(durations.filter((ms) => ms < 0 || ms > 30_000)).toEqual([]);
    }
  });

  test("reject a value that is not a duration", async () => {
    expect((await engine.attempt({ run: (_, ctx) => ctx.sleep("x", "soon" as "1s") })).run.error).toMatchObject({
      name: "TypeError",
    });
  });
});

describe("the log", () => {
  test("is in the timeline, in order, with level and data", async () => {
    const { timeline } = await engine.attempt({
      run: (_, ctx) => {
        ctx.log.info("one", { n: 1 });
        ctx.log.error("two");
      },
    });
    expect(
      timeline.filter(({ kind }) => kind === "log").map(({ level, message, data }) => [level, message, data]),
    ).toEqual([
      ["info", "one", { n: 1 }],
      ["error", "two", null],
    ]);
  });

  test("is visible while the run is active", async () => {
    const id = await engine.createRun();
    const handle = engine.execute(await engine.claim(), {
      run: async (_, ctx) => {
        ctx.log.info("working");
        await hang();
      },
    });
    await expect.poll(async () => (await engine.read(id)).kinds).toContain("log working");
    handle.interrupt({ kind: "canceled" });
    await handle.ended;
  });

  test("is truncated at its limits: a long message, large data, too many entries", async () => {
    const { timeline } = await engine.attempt({
      run: (_, ctx) => {
        ctx.log.info("é".repeat(20_000), "x".repeat(70_000));
        for (let n = 0; n < 10_500; n += 1) ctx.log.debug("again");
      },
    });
    const logs = timeline.filter(({ kind }) => kind === "log");
    expect(logs).toHaveLength(10_001);
    expect(logs[0]?.message).toBe(`${"é".repeat(8192)}… (cut, 40000 bytes)`);
    expect(logs[0]?.data).toMatchObject({ isCut: true, bytes: 70_002 });
    expect(logs.at(-1)).toMatchObject({ level: "warn", message: expect.stringContaining("10000 entries") });
  });

  test("never throws, for any value", async () => {
    const { run } = await engine.attempt({
      run: (_, ctx) => {
        ctx.log.info(Symbol("x") as never, 1n);
        ctx.log.info(undefined as never);
        return "fine";
      },
    });
    expect(run).toMatchObject({ status: "completed", output: "fine" });
  });
});

describe("interrupts", () => {
  test("a cancel aborts the signal, ends the run at once, and later calls of the code have no effect", async () => {
    let late: unknown;
    let reason: unknown;
    const id = await engine.createRun();
    const handle = engine.execute(await engine.claim(), {
      run: async (_, ctx) => {
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        reason = ctx.signal.reason;
        late = await ctx.step("late", () => 1).catch((error: unknown) => error);
        return "too late";
      },
    });
    await expect.poll(() => handle.deadlineAt()).toBeGreaterThan(0);
    await engine.store.requestCancel(id, engine.clock.now());
    handle.interrupt({ kind: "canceled" });
    expect((await handle.ended).status).toBe("canceled");
    await handle.settled;
    const { run, kinds } = await engine.read(id);
    expect(run).toMatchObject({ status: "canceled", output: null });
    expect(kinds).not.toContain("step_started late");
    expect([reason, late]).toMatchObject([{ name: "RunCanceled" }, { name: "RunCanceled" }]);
  });

  test("code of a run that is canceled during its transform never begins", async () => {
    const id = await engine.createRun({ payload: {}, input: null, attachmentId: "knock:work", trigger: "knock" });
    const begun = Promise.withResolvers<void>();
    const transformed = Promise.withResolvers<object>();
    let isRun = false;
    const transform = () => {
      begun.resolve();
      return transformed.promise;
    };
    const handle = engine.execute(await engine.claim(), { run: () => void (isRun = true) }, { transform });
    await begun.promise;
    handle.interrupt({ kind: "canceled" });
    transformed.resolve({});
    await handle.settled;
    expect((await handle.ended).status).toBe("canceled");
    expect(isRun).toBe(false);
    expect((await engine.read(id)).run.status).toBe("canceled");
  });

  test("a cancellation that was not reported to the worker is noticed with the next write", async () => {
    const id = await engine.createRun();
    const claimed = await engine.claim();
    await engine.store.requestCancel(id, engine.clock.now());
    const handle = engine.execute(claimed, {
      run: async (_, ctx) => {
        await ctx.step("a", () => 1);
        await hang();
      },
    });
    expect((await handle.ended).status).toBe("canceled");
    expect((await engine.read(id)).run.status).toBe("canceled");
  });

  test("an attempt over its timeout is retried, and the last one ends the run as timed_out", async () => {
    const id = await engine.createRun({ maxAttempts: 2 });
    const reasons: unknown[] = [];
    const workflow = {
      timeoutMs: 20,
      run: async (_: never, ctx: Ctx) => {
        ctx.signal.addEventListener("abort", () => reasons.push(ctx.signal.reason));
        await hang();
      },
    };
    expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("waiting");
    engine.advance(1000);
    expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("timed_out");
    expect((await engine.read(id)).run).toMatchObject({ status: "timed_out", error: { name: "RunTimedOut" } });
    expect(reasons).toMatchObject([{ name: "RunTimedOut" }, { name: "RunTimedOut" }]);
  });

  test("a run that returns to the queue continues in another worker with the same attempt, after its last finished step", async () => {
    const executed: string[] = [];
    const id = await engine.createRun();
    const handle = engine.execute(await engine.claim(), {
      run: async (_, ctx) => {
        await ctx.step("a", () => void executed.push("a"));
        await ctx.step("b", hang);
      },
    });
    await expect.poll(async () => (await engine.read(id)).kinds).toContain("step_started b");
    handle.interrupt({ kind: "worker_shutdown" });
    expect((await handle.ended).status).toBe("queued");
    const again = await engine.claim("wrk_other");
    expect(again).toMatchObject({ id, attempt: 1, isResumed: true });
    await engine.execute(again, {
      run: async (_, ctx) => {
        await ctx.step("a", () => void executed.push("a"));
        await ctx.step("b", () => 1);
      },
    }).ended;
    expect(executed).toEqual(["a"]);
    expect((await engine.read(id)).run.status).toBe("completed");
  });

  test("nothing more is written to a run that was taken over", async () => {
    const id = await engine.createRun();
    const first = await engine.claim("wrk_slow");
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const slow = engine.execute(first, {
      run: async (_, ctx) => {
        await ctx.step("a", () => gate.then(() => "slow"));
        return "slow";
      },
    });
    await expect.poll(async () => (await engine.read(id)).kinds).toContain("step_started a");
    engine.advance(20_000);
    expect(await engine.store.reconcile(engine.clock.now())).toBe(1);
    const second = await engine.claim("wrk_quick");
    release();
    expect((await slow.ended).status).toBeNull();
    await engine.execute(second, { run: (_, ctx) => ctx.step("a", () => "quick") }).ended;
    expect((await engine.read(id)).run).toMatchObject({ status: "completed", output: "quick" });
  });

  test("a worker that was stopped between two steps past its lease does not begin the next one, which another has", async () => {
    const executed: string[] = [];
    const id = await engine.createRun();
    const first = await engine.claim("wrk_stopped");
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const code = (worker: string, between: Promise<void> | null): TestWorkflow => ({
      run: async (_, ctx) => {
        await ctx.step("a", () => void executed.push(`${worker} a`));
        await between;
        return await ctx.step("b", () => void executed.push(`${worker} b`));
      },
    });
    const stopped = engine.execute(first, code("stopped", gate));
    await expect.poll(async () => (await engine.read(id)).kinds).toContain("step_completed a");
    engine.advance(20_000);
    expect(await engine.store.reconcile(engine.clock.now())).toBe(1);
    const second = engine.execute(await engine.claim("wrk_other"), code("other", null));
    expect((await second.ended).status).toBe("completed");
    const before = await engine.read(id);
    release();
    expect((await stopped.ended).status).toBeNull();
    expect(executed).toEqual(["stopped a", "other b"]);
    expect(await engine.read(id)).toEqual(before);
  });

  test("a worker that was stopped before it could start a run starts none that another worker has", async () => {
    const executed: string[] = [];
    const id = await engine.createRun();
    const first = await engine.claim("wrk_stopped");
    engine.advance(20_000);
    expect(await engine.store.reconcile(engine.clock.now())).toBe(1);
    const second = await engine.claim("wrk_other");
    const stopped = engine.execute(first, { run: () => void executed.push("stopped") });
    expect((await stopped.ended).status).toBeNull();
    await stopped.settled;
    expect((await engine.execute(second, { run: () => void executed.push("other") }).ended).status).toBe("completed");
    expect(executed).toEqual(["other"]);
    expect((await engine.read(id)).run.attempt).toBe(1);
  });

  test("a worker whose lease expired continues if no other worker took its run", async () => {
    const id = await engine.createRun();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const handle = engine.execute(await engine.claim(), {
      run: async (_, ctx) => {
        await gate;
        return ctx.step("a", () => 1);
      },
    });
    engine.advance(20_000);
    release();
    expect((await handle.ended).status).toBe("completed");
    expect((await engine.read(id)).kinds).toContain("step_completed a");
  });

  test("a run loses no progress while the store is unavailable for long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { AppError } = await import("../contract/app-error.ts");
    const id = await engine.createRun();
    let isAway = true;
    let tries = 0;
    const away = {
      saveLive: engine.store.saveLive.bind(engine.store),
      writeProgress: (progress: Parameters<typeof engine.store.writeProgress>[0]) => {
        tries += 1;
        return isAway
          ? Promise.reject(new AppError("store_unavailable", "The disk of the database is full."))
          : engine.store.writeProgress(progress);
      },
    };
    let executed = 0;
    const handle = engine.execute(
      await engine.claim(),
      { timeoutMs: 3_600_000, run: (_, ctx) => ctx.step("a", () => (executed += 1)) },
      { progress: away },
    );
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(tries).toBeGreaterThan(100);
    isAway = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await handle.ended).status).toBe("completed");
    expect([executed, (await engine.read(id)).run]).toMatchObject([1, { status: "completed", output: 1 }]);
  });

  test("a run does not lose its step while the store is busy for a moment", async () => {
    const { AppError } = await import("../contract/app-error.ts");
    const id = await engine.createRun();
    let rejections = 2;
    const busy = {
      saveLive: engine.store.saveLive.bind(engine.store),
      writeProgress: (progress: Parameters<typeof engine.store.writeProgress>[0]) =>
        rejections-- > 0
          ? Promise.reject(new AppError("store_unavailable", "busy"))
          : engine.store.writeProgress(progress),
    };
    let executed = 0;
    await engine.execute(
      await engine.claim(),
      { run: (_, ctx) => ctx.step("a", () => (executed += 1)) },
      { progress: busy },
    ).ended;
    expect((await engine.read(id)).run).toMatchObject({ status: "completed", output: 1 });
    expect(executed).toBe(1);
  });
});

const handlersOf = async (id: string) =>
  (await engine.store.listRuns({ failureOf: id }, { limit: 10, cursor: null })).data;
const failedOnce = async (workflow: TestWorkflow, over: Parameters<typeof engine.createRun>[0] = {}) => {
  const id = await engine.createRun({ maxAttempts: 1, input: { to: "a" }, ...over });
  await engine.execute(await engine.claim(), workflow).ended;
  return id;
};

describe("onFailure", () => {
  const error = new Error("no money");
  const failing: Pick<TestWorkflow, "run" | "input"> = {
    input: z.object({ to: z.string(), copies: z.number().default(1) }),
    run: () => {
      throw error;
    },
  };

  test("is called as a run of its own, with the failed run, after its last attempt", async () => {
    const seen: unknown[] = [];
    const workflow: TestWorkflow = {
      ...failing,
      onFailure: async (run, ctx) => {
        seen.push(run, { ...ctx.run });
        return await ctx.step("refund", ({ idempotencyKey }) => idempotencyKey);
      },
    };
    const id = await engine.createRun({ maxAttempts: 2, input: { to: "a" }, trigger: "knock" });
    await engine.execute(await engine.claim(), workflow).ended;
    expect(await handlersOf(id)).toEqual([]);
    engine.advance(60_000);
    await engine.execute(await engine.claim(), workflow).ended;
    const [handler] = await handlersOf(id);
    expect(handler).toMatchObject({ status: "queued", maxAttempts: 5, startedBy: "failure", trigger: "knock" });
    await engine.execute(await engine.claim(), workflow).ended;
    const { run: failed } = await engine.read(id);
    expect(seen).toEqual([
      {
        id,
        status: "failed",
        error: { name: "Error", message: "no money", stack: expect.stringContaining("no money") },
        input: { to: "a", copies: 1 },
        payload: null,
        attempts: 2,
        trigger: "knock",
        deliveryId: null,
        createdAt: failed.createdAt,
        finishedAt: failed.finishedAt,
      },
      { id: handler?.id, attempt: 1, trigger: "knock", deliveryId: null },
    ]);
    const { run } = await engine.read(handler?.id ?? "");
    expect(run).toMatchObject({ status: "completed", output: `${handler?.id}:refund`, input: { id, attempts: 2 } });
    expect(await handlersOf(id)).toHaveLength(1);
  });

  test("that fails is retried with its completed steps, and its own failure calls nothing", async () => {
    let calls = 0;
    let refunds = 0;
    const workflow: TestWorkflow = {
      ...failing,
      onFailure: async (_, ctx) => {
        calls += 1;
        await ctx.step("refund", () => (refunds += 1));
        throw new Error("still down");
      },
    };
    const id = await failedOnce(workflow);
    const [handler] = await handlersOf(id);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await engine.execute(await engine.claim(), workflow).ended;
      engine.advance(3_600_000);
    }
    expect([calls, refunds]).toEqual([5, 1]);
    expect((await engine.read(handler?.id ?? "")).run).toMatchObject({ status: "failed", attempt: 5 });
    expect(await handlersOf(handler?.id ?? "")).toEqual([]);
    expect(await engine.store.countOpenRuns()).toEqual({ queued: 0, running: 0, waiting: 0 });
  });

  test("gets null as the input of a run whose input did not match, and of one that timed out its status", async () => {
    const seen: unknown[] = [];
    const onFailure: TestWorkflow["onFailure"] = (run: { input: unknown; status: string; error: { name: string } }) =>
      void seen.push([run.status, run.error.name, run.input]);
    await failedOnce({ ...failing, onFailure }, { input: { to: 1 } });
    await engine.execute(await engine.claim(), { ...failing, onFailure }).ended;
    const slow: TestWorkflow = { run: hang, timeoutMs: 20, onFailure };
    await failedOnce(slow);
    await engine.execute(await engine.claim(), slow).ended;
    expect(seen).toEqual([
      ["failed", "InvalidInput", null],
      ["timed_out", "RunTimedOut", { to: "a" }],
    ]);
  });

  test("is not called for a run that completes or is canceled", async () => {
    const onFailure = vi.fn<() => void>();
    const done = await failedOnce({ run: () => 1, onFailure });
    const canceled = await engine.createRun();
    await engine.store.requestCancel(canceled, engine.clock.now());
    expect([...(await handlersOf(done)), ...(await handlersOf(canceled))]).toEqual([]);
    expect(onFailure).not.toHaveBeenCalled();
  });

  test("does not need the failed run after its first attempt", async () => {
    const seen: unknown[] = [];
    const workflow: TestWorkflow = {
      ...failing,
      onFailure: (run: { id: string }) => {
        seen.push(run.id);
        if (seen.length === 1) throw new Error("again");
      },
    };
    const id = await failedOnce(workflow);
    await engine.execute(await engine.claim(), workflow).ended;
    engine.advance(60_000);
    await engine.execute({ ...(await engine.claim()), failure: null }, workflow).ended;
    expect(seen).toEqual([id, id]);
  });
});
