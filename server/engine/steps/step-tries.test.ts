import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NonRetryableError, RetryAfterError, StepError } from "../../../sdk/errors.ts";
import type { StepOptions, WorkflowContext as Ctx } from "../../../sdk/workflow/index.ts";
import { createEngineHarness, type TestWorkflow } from "../testing/engine-harness.ts";

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
beforeEach(async () => {
  engine = await createEngineHarness();
});
afterEach(() => engine.close());

/** A wait that keeps the worker, and one that does not. */
const short = { backoff: "fixed", initialDelay: 1 } as const;
const long = { backoff: "fixed", initialDelay: "1m" } as const;

const hang = () => new Promise<never>(() => {});

/** A workflow with one step that fails in its first tries. */
function createFlaky(options: StepOptions, failures: readonly unknown[]) {
  const keys: string[] = [];
  const workflow = {
    run: (_: never, ctx: Ctx) =>
      ctx.step("charge", options, ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        const failure = failures[keys.length - 1];
        if (failure !== undefined) throw failure;
        return `try ${keys.length}`;
      }),
  };
  return { keys, workflow };
}

const execute = async (workflow: TestWorkflow) => (await engine.execute(await engine.claim(), workflow).ended).status;

describe("a step with retries", () => {
  test("is tried again in the same attempt, with the same idempotency key", async () => {
    const { keys, workflow } = createFlaky({ retries: 2, ...short }, [new Error("a"), new Error("b")]);
    const { run, timeline, kinds } = await engine.attempt(workflow);
    expect(run).toMatchObject({ status: "completed", attempt: 1, output: "try 3" });
    expect(keys).toEqual(Array.from({ length: 3 }, () => `${run.id}:charge`));
    expect(kinds).toEqual([
      "queued",
      "attempt_started",
      "step_started charge",
      "step_failed charge",
      "step_started charge",
      "step_failed charge",
      "step_started charge",
      "step_completed charge",
      "completed",
    ]);
    const failed = timeline.filter(({ kind }) => kind === "step_failed");
    expect(failed.map(({ error, data, until }) => [error?.message, data, until === null])).toEqual([
      ["a", { try: 1, maxTries: 3 }, false],
      ["b", { try: 2, maxTries: 3 }, false],
    ]);
  });

  test("suspends the run until the next try if the wait is long, and needs no worker", async () => {
    const { keys, workflow } = createFlaky({ retries: 2, ...long }, [new Error("a"), new Error("b")]);
    const id = await engine.createRun();
    for (const wait of [1, 2]) {
      expect(await execute(workflow)).toBe("waiting");
      expect(keys).toHaveLength(wait);
      engine.advance(59_999);
      await expect(engine.claim()).rejects.toThrow("no run is due");
      engine.advance(1);
    }
    expect(await execute(workflow)).toBe("completed");
    const { run, timeline } = await engine.read(id);
    expect(run).toMatchObject({ attempt: 1, output: "try 3" });
    expect(timeline.filter(({ kind }) => kind === "step_failed").map(({ at, until }) => [at, until])).toEqual([
      ["2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00.000Z"],
      ["2026-01-01T00:01:00.000Z", "2026-01-01T00:02:00.000Z"],
    ]);
  });

  test("that has no retries left throws a StepError, which fails the run even if it has attempts left", async () => {
    const { keys, workflow } = createFlaky({ retries: 1, ...short }, [new Error("a"), new RangeError("b")]);
    const { run, kinds } = await engine.attempt(workflow, { maxAttempts: 5 });
    expect(run).toMatchObject({ status: "failed", attempt: 1, error: { name: "RangeError", message: "b" } });
    expect(run.error?.stack).toContain("step-tries.test");
    expect(keys).toHaveLength(2);
    expect(kinds.slice(-3)).toEqual(["step_failed charge", "attempt_failed", "failed"]);
  });

  test("with zero retries is tried once", async () => {
    const { keys, workflow } = createFlaky({ retries: 0 }, [new Error("a")]);
    expect((await engine.attempt(workflow, { maxAttempts: 5 })).run).toMatchObject({ status: "failed", attempt: 1 });
    expect(keys).toHaveLength(1);
  });

  test("that has failed permanently fails again with the same error when the code runs again, without being tried", async () => {
    let tries = 0;
    const seen: unknown[] = [];
    const workflow = {
      run: async (_: never, ctx: Ctx) => {
        try {
          await ctx.step("charge", { retries: 1, ...short }, () => {
            tries += 1;
            throw new RangeError(`try ${tries}`);
          });
        } catch (error) {
          seen.push(error);
        }
        await ctx.sleep("pause", "1h");
        return await ctx.step("refund", () => "refunded");
      },
    };
    const id = await engine.createRun();
    expect(await execute(workflow)).toBe("waiting");
    engine.advance(3_600_000);
    expect(await execute(workflow)).toBe("completed");
    expect(tries).toBe(2);
    expect(seen).toHaveLength(2);
    for (const error of seen) {
      expect(error).toBeInstanceOf(StepError);
      expect(error).toMatchObject({ name: "RangeError", message: "try 2", step: "charge", tries: 2 });
    }
    expect((await engine.read(id)).run.output).toBe("refunded");
  });

  test("has all its retries again in the next attempt of the run", async () => {
    let tries = 0;
    const workflow = {
      run: async (_: never, ctx: Ctx) => {
        try {
          return await ctx.step("charge", { retries: 1, ...short }, () => {
            tries += 1;
            if (tries < 4) throw new Error("no");
            return tries;
          });
        } catch {
          throw new Error("once more");
        }
      },
    };
    const id = await engine.createRun({ maxAttempts: 2 });
    expect(await execute(workflow)).toBe("waiting");
    expect(tries).toBe(2);
    engine.advance(1000);
    expect(await execute(workflow)).toBe("completed");
    expect((await engine.read(id)).run).toMatchObject({ attempt: 2, output: 4 });
  });

  test("that has failed permanently is tried again after a resume of the run, with the same idempotency key", async () => {
    const { keys, workflow } = createFlaky({ retries: 1, ...short }, [new Error("a"), new Error("b"), new Error("c")]);
    const { run } = await engine.attempt(workflow);
    expect(run.status).toBe("failed");
    const order = { id: run.id, target: run.target, version: "v1", attempts: 1, seenAttempt: 1 };
    expect(await engine.store.resumeRuns([order], engine.clock.now())).toEqual([null]);
    expect(await execute(workflow)).toBe("completed");
    expect(keys).toEqual(Array.from({ length: 4 }, () => `${run.id}:charge`));
  });

  test("is not tried again after an error that excludes it", async () => {
    for (const error of [new NonRetryableError("no"), Object.assign(new Error("no"), { retryable: false })]) {
      const { keys, workflow } = createFlaky({ retries: 9, ...short }, [error]);
      const { run } = await engine.attempt(workflow, { maxAttempts: 5 });
      expect(run).toMatchObject({ status: "failed", attempt: 1, error: { message: "no" } });
      expect(keys).toHaveLength(1);
    }
  });

  test("waits until the time that a RetryAfterError requests", async () => {
    const at = new Date(Date.UTC(2026, 0, 1, 2));
    const errors = [new RetryAfterError("busy", 3600), new RetryAfterError("busy", at)];
    const { workflow } = createFlaky({ retries: 2, ...short }, errors);
    const id = await engine.createRun();
    expect(await execute(workflow)).toBe("waiting");
    engine.advance(3_600_000);
    expect(await execute(workflow)).toBe("waiting");
    engine.advance(3_600_000);
    expect(await execute(workflow)).toBe("completed");
    expect(
      (await engine.read(id)).timeline.flatMap(({ kind, until }) => (kind === "step_failed" ? until : [])),
    ).toEqual(["2026-01-01T01:00:00.000Z", at.toISOString()]);
  });

  test("whose next try is at once after a RetryAfterError without a usable time uses its policy", async () => {
    const { workflow } = createFlaky({ retries: 1, ...long }, [new RetryAfterError("busy", null)]);
    await engine.createRun();
    expect(await execute(workflow)).toBe("waiting");
    engine.advance(60_000);
    expect(await execute(workflow)).toBe("completed");
  });

  test.each([
    ["waits in the process", { initialDelay: 1500 }],
    ["waits without a worker", { initialDelay: "1m" as const }],
  ])("whose worker is lost while it %s continues with its remaining tries", async (_, delay) => {
    const options = { retries: 2, backoff: "fixed" as const, ...delay };
    const { keys, workflow } = createFlaky(options, [new Error("a"), new Error("b"), new Error("c")]);
    const id = await engine.createRun();
    void engine.execute(await engine.claim("wrk_lost"), workflow);
    await expect.poll(async () => (await engine.store.loadSteps(id))[0]).toMatchObject({ result: { tries: 1 } });
    await expect
      .poll(async () => (await engine.read(id)).run.status)
      .toBe(delay.initialDelay === "1m" ? "waiting" : "running");
    engine.advance(120_000);
    await engine.store.reconcile(engine.clock.now());
    const handle = engine.execute(await engine.claim("wrk_next"), workflow);
    await expect.poll(() => keys.length).toBe(2);
    await handle.ended;
    const { run, timeline } = await engine.read(id);
    expect(run.attempt).toBe(1);
    expect(timeline.filter(({ kind }) => kind === "step_failed").map(({ data }) => data)).toMatchObject([
      { try: 1 },
      { try: 2 },
      ...(delay.initialDelay === "1m" ? [] : [{ try: 3 }]),
    ]);
  });

  test("is canceled between two tries, with and without a worker", async () => {
    const { keys, workflow } = createFlaky({ retries: 9, backoff: "fixed", initialDelay: "4s" }, [new Error("a")]);
    const id = await engine.createRun();
    const handle = engine.execute(await engine.claim(), workflow);
    await expect.poll(async () => (await engine.read(id)).kinds).toContain("step_failed charge");
    handle.interrupt({ kind: "canceled" });
    expect((await handle.ended).status).toBe("canceled");
    await handle.settled;
    expect(keys).toHaveLength(1);

    const waiting = createFlaky({ retries: 9, ...long }, [new Error("a")]);
    const other = await engine.createRun();
    expect(await execute(waiting.workflow)).toBe("waiting");
    await engine.store.requestCancel(other, engine.clock.now());
    expect((await engine.read(other)).run.status).toBe("canceled");
    engine.advance(600_000);
    await expect(engine.claim()).rejects.toThrow("no run is due");
  });

  test("beside another step waits in the process until that has ended, and both keep their results", async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const executed: string[] = [];
    const workflow = {
      run: (_: never, ctx: Ctx) =>
        Promise.all([
          ctx.step("slow", async () => {
            executed.push("slow");
            await gate;
            return 1;
          }),
          ctx.step("charge", { retries: 1, ...long }, () => {
            executed.push("charge");
            if (executed.filter((name) => name === "charge").length === 1) throw new Error("no");
            return 2;
          }),
        ]),
    };
    const id = await engine.createRun();
    const handle = engine.execute(await engine.claim(), workflow);
    await expect.poll(async () => (await engine.read(id)).kinds).toContain("step_failed charge");
    expect((await engine.read(id)).run.status).toBe("running");
    release();
    expect((await handle.ended).status).toBe("waiting");
    engine.advance(60_000);
    expect(await execute(workflow)).toBe("completed");
    expect((await engine.read(id)).run.output).toEqual([1, 2]);
    expect(executed.toSorted()).toEqual(["charge", "charge", "slow"]);
  });

  test("counts the time of its tries towards the timeout of the attempt, but not its long waits", async () => {
    let tries = 0;
    const workflow = {
      timeoutMs: 60_000,
      run: (_: never, ctx: Ctx) =>
        ctx.step("charge", { retries: 1, ...long }, async () => {
          tries += 1;
          engine.advance(45_000);
          if (tries === 1) throw new Error("no");
          await hang();
        }),
    };
    await engine.createRun();
    expect(await execute(workflow)).toBe("waiting");
    engine.advance(60_000);
    const handle = engine.execute(await engine.claim(), workflow);
    await expect.poll(() => handle.deadlineAt() - engine.clock.now()).toBeLessThanOrEqual(15_000);
    handle.interrupt({ kind: "canceled" });
    await handle.ended;
  });

  test("that was renamed or lost its options while the run waits is executed like any other", async () => {
    const { workflow } = createFlaky({ retries: 1, ...long }, [new Error("a")]);
    const id = await engine.createRun();
    expect(await execute(workflow)).toBe("waiting");
    engine.advance(60_000);
    expect(await execute({ run: (_, ctx) => ctx.step("charge", () => "plain") })).toBe("completed");
    expect((await engine.read(id)).run.output).toBe("plain");
  });
});

describe("a step without retries of its own", () => {
  test("fails the attempt, and the run is retried, as a step without options", async () => {
    const { keys, workflow } = createFlaky({}, [new Error("a")]);
    const id = await engine.createRun({ maxAttempts: 2 });
    expect(await execute(workflow)).toBe("waiting");
    expect(await engine.store.loadSteps(id)).toMatchObject([{ name: "charge", finishedAt: null, until: null }]);
    engine.advance(1000);
    expect(await execute(workflow)).toBe("completed");
    expect((await engine.read(id)).run).toMatchObject({ attempt: 2, output: "try 2" });
    expect(keys).toHaveLength(2);
  });

  test("passes the time of a RetryAfterError on to the run", async () => {
    const { workflow } = createFlaky({}, [new RetryAfterError("busy", "3600")]);
    const id = await engine.createRun({ maxAttempts: 2 });
    expect(await execute(workflow)).toBe("waiting");
    const scheduled = (await engine.read(id)).timeline.find(({ kind }) => kind === "retry_scheduled");
    expect(scheduled?.until).toBe("2026-01-01T01:00:00.000Z");
  });

  test("a RetryAfterError does not prolong a run that has no attempts left", async () => {
    const { workflow } = createFlaky({}, [new RetryAfterError("busy", 5)]);
    expect((await engine.attempt(workflow)).run).toMatchObject({
      status: "failed",
      error: { name: "RetryAfterError" },
    });
  });
});

describe("the timeout of a step", () => {
  test("aborts the signal of the try, which has failed, even if its function never ends", async () => {
    const reasons: unknown[] = [];
    let tries = 0;
    const { run, timeline } = await engine.attempt({
      run: (_, ctx) =>
        ctx.step("call", { retries: 1, ...short, timeout: 20 }, async ({ signal }) => {
          tries += 1;
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          return tries === 1 ? await hang() : "answered";
        }),
    });
    expect(run).toMatchObject({ status: "completed", output: "answered" });
    expect(reasons).toMatchObject([{ name: "StepTimedOut" }]);
    expect(timeline.find(({ kind }) => kind === "step_failed")).toMatchObject({
      error: { name: "StepTimedOut", message: expect.stringContaining("20 ms") },
    });
  });

  test("does not abort the signal of the run", async () => {
    const { run } = await engine.attempt({
      run: async (_, ctx) => {
        const error = await ctx.step("call", { timeout: 5 }, hang).catch((thrown: Error) => thrown.name);
        return [error, ctx.signal.aborted];
      },
    });
    expect(run.output).toEqual(["StepTimedOut", false]);
  });

  test("the signal of a try is aborted with the run, for its reason", async () => {
    let reason: unknown;
    const id = await engine.createRun();
    const handle = engine.execute(await engine.claim(), {
      run: (_, ctx) =>
        ctx.step("call", { timeout: "1h" }, async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          ({ reason } = signal);
        }),
    });
    await expect.poll(async () => (await engine.read(id)).kinds).toContain("step_started call");
    handle.interrupt({ kind: "canceled" });
    await handle.settled;
    expect(reason).toMatchObject({ name: "RunCanceled" });
  });
});

describe("a result that cannot be stored", () => {
  test("fails the step at once, with the path, even if retries and attempts are left", async () => {
    let tries = 0;
    const { run, timeline } = await engine.attempt(
      {
        run: (_, ctx) =>
          ctx.step("load", { retries: 5, ...short }, () => {
            tries += 1;
            return { items: [{ price: 1 }, { price: 2n as never }] };
          }),
      },
      { maxAttempts: 5 },
    );
    expect(tries).toBe(1);
    expect(run).toMatchObject({ status: "failed", attempt: 1, error: { name: "NotJson" } });
    expect(run.error?.message).toBe(
      "The result of step load cannot be stored as JSON: /items/1/price is a bigint. Return it as a string: String(value).",
    );
    expect(timeline.find(({ kind }) => kind === "step_failed")?.data).toMatchObject({
      errors: [{ pointer: "/items/1/price", code: "not_json", message: "is a bigint" }],
    });
  });

  test("fails if it exceeds 16 MB, and names its largest part", async () => {
    const { run } = await engine.attempt({
      run: (_, ctx) => ctx.step("load", () => ({ page: 1, rows: ["x".repeat(17_000_000)] })),
    });
    expect(run.error).toMatchObject({
      name: "ResultTooLarge",
      message: expect.stringContaining(
        "The result of step load exceeds 16.0 MB. Its largest part is /rows/0 (17.0 MB)",
      ),
    });
  });
});

test.each([
  ["an unknown option", { retry: 3 }],
  ["no function", undefined],
])("a call with %s throws a TypeError", async (_, options) => {
  const { run } = await engine.attempt({
    run: (_input, ctx) => ctx.step("charge", (options ?? {}) as StepOptions, (options ? () => 1 : undefined) as never),
  });
  expect(run.error).toMatchObject({ name: "TypeError", message: expect.stringContaining("charge") });
});
