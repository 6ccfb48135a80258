import * as fc from "fast-check";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NonRetryableError } from "../../sdk/errors.ts";
import type { WorkflowContext } from "../../sdk/workflow/index.ts";
import type { ProgressWriter } from "../ports/run-channel.ts";
import { createNames } from "./steps/stored-steps.ts";
import { restoreThrown, storeThrown } from "./steps/thrown-value.ts";
import { createEngineHarness } from "./testing/engine-harness.ts";
import { findReplayProblem, openMemoryStore, trees } from "./testing/replay-checker.ts";

/** `REPLAY_RUNS=20000` looks for longer. */
const numRuns = Number(process.env["REPLAY_RUNS"] ?? 300);

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
beforeEach(async () => {
  engine = await createEngineHarness();
});
afterEach(() => engine.close());

test("every execution of a run receives the recorded completions in the recorded order, even if its workers are killed", async () => {
  await fc.assert(
    fc.asyncProperty(trees, fc.integer({ min: 0 }), async (tree, seed) => {
      expect(await findReplayProblem(tree, { seed, open: openMemoryStore })).toBeNull();
    }),
    { numRuns },
  );
});

const keep = (value: unknown) => restoreThrown(storeThrown(value, (stack) => stack));

describe("a step that has failed, and whose error the code has caught", () => {
  test("fails again with the same error when the run continues, without being executed", async () => {
    let calls = 0;
    const seen: unknown[] = [];
    const workflow = {
      run: async (_: never, ctx: WorkflowContext) => {
        try {
          await ctx.step("charge", () => {
            calls += 1;
            throw Object.assign(new TypeError("declined", { cause: new Error("no funds") }), {
              code: "E402",
              limit: [7],
            });
          });
        } catch (error) {
          const { name, message, code, limit, cause } = error as Error & { code: string; limit: number[] };
          seen.push([error instanceof TypeError, name, message, code, limit, (cause as Error).message]);
        }
        await ctx.sleep("pause", "1h");
      },
    };
    await engine.createRun();
    expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("waiting");
    engine.advance(3_600_000);
    expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("completed");
    const expected = [true, "TypeError", "declined", "E402", [7], "no funds"];
    expect([calls, seen]).toEqual([1, [expected, expected]]);
  });

  test("is executed again in the next attempt, at its place in the order", async () => {
    const items: string[] = [];
    const workflow = {
      run: async (_: never, ctx: WorkflowContext) => {
        const branch = async (item: string) => {
          await ctx
            .step("charge", async () => {
              if (item === "first") throw new Error("declined");
              await delay(5);
            })
            .catch(() => {});
          return await ctx.step("notify", () => item);
        };
        items.push((await Promise.all(["first", "second"].map(branch))).join());
        throw new Error("again");
      },
    };
    await engine.createRun({ maxAttempts: 2 });
    expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("waiting");
    engine.advance(1000);
    expect((await engine.execute(await engine.claim(), workflow).ended).status).toBe("failed");
    expect(items).toEqual(["first,second", "first,second"]);
  });

  test("is restored with its causes and JSON properties, for every thrown value", () => {
    const declined = new NonRetryableError("no");
    expect(keep(declined)).toMatchObject({ name: "NonRetryableError", message: "no", retryable: false });
    expect(keep(new AggregateError([new RangeError("x")], "all"))).toMatchObject({ errors: [{ name: "RangeError" }] });
    for (const value of ["text", 7, null, [1], { code: 1 }]) expect(keep(value)).toEqual(value);
    const circular: Error & { self?: unknown; big?: unknown } = new Error("loop");
    circular.self = circular;
    circular.cause = circular;
    expect(keep(circular)).toMatchObject({ message: "loop", self: null });
    const large = Object.assign(new Error("large"), { body: "x".repeat(100_000) });
    expect(keep(large)).toMatchObject({ message: "large" });
    expect(JSON.stringify(storeThrown(large, String)).length).toBeLessThan(64 * 1024);
    const request = Object.assign(new Error("402"), {
      code: "DECLINED",
      response: { status: 402, data: "x".repeat(100_000), headers: { id: "r1" } },
      parts: Array.from({ length: 50 }, () => "y".repeat(1_500)),
      cause: Object.assign(new Error("inner"), { errno: -111, body: "z".repeat(70_000) }),
    });
    // Of a failure that is too large, only large properties are missing.
    expect(Object.fromEntries(Object.entries(keep(request) ?? {}))).toEqual({
      code: "DECLINED",
      response: { status: 402, headers: { id: "r1" } },
    });
    expect(keep(request)).toMatchObject({ message: "402", cause: { message: "inner", errno: -111 } });
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field${at}`, "value"]));
    // Of thousands of small properties, the first ones are kept.
    expect(keep(Object.assign(new Error("many"), { code: "E1" }, many))).toMatchObject({
      message: "many",
      code: "E1",
      field0: "value",
    });
    const within = { code: "E1", response: { status: 402, data: many } };
    expect(keep(Object.assign(new Error("within"), within))).toMatchObject({ code: "E1", response: { status: 402 } });
    const hostile = Object.defineProperty(new Error("hostile"), "code", {
      enumerable: true,
      get: () => {
        throw new Error("a getter");
      },
    });
    expect(keep(hostile)).toMatchObject({ message: "hostile", code: null });
  });
});

test("a race between a step and a sleep has the same winner on a store whose writes outlast the sleep", async () => {
  const slow: ProgressWriter = {
    saveLive: (live) => engine.store.saveLive(live),
    async writeProgress(progress) {
      await delay(60);
      return await engine.store.writeProgress(progress);
    },
  };
  const winners: string[] = [];
  const workflow = {
    run: async (_: never, ctx: WorkflowContext) => {
      winners.push(
        await Promise.race([ctx.step("work", () => delay(1, "work")), ctx.sleep("limit", 20).then(() => "limit")]),
      );
      await ctx.sleep("pause", "1h");
    },
  };
  await engine.createRun();
  await engine.execute(await engine.claim(), workflow, { progress: slow }).ended;
  engine.advance(3_600_000);
  await engine.execute(await engine.claim(), workflow).ended;
  expect(winners).toEqual([winners[0], winners[0]]);
});

test("a branch that waits for something else before its next step keeps its place when the run continues", async () => {
  const outputs: string[] = [];
  let pauseMs = 0;
  const workflow = {
    run: async (_: never, ctx: WorkflowContext) => {
      const first = async () => {
        await ctx.step("a", () => 1);
        await delay(pauseMs);
        await ctx.step("b", () => 1);
        return await ctx.step("save", () => "first");
      };
      const second = async () => {
        await ctx.step("c", () => delay(30));
        return await ctx.step("save", () => "second");
      };
      outputs.push((await Promise.all([first(), second()])).join());
      await ctx.sleep("pause", "1h");
    },
  };
  await engine.createRun();
  await engine.execute(await engine.claim(), workflow).ended;
  pauseMs = 10;
  engine.advance(3_600_000);
  await engine.execute(await engine.claim(), workflow).ended;
  expect(outputs).toEqual(["first,second", "first,second"]);
});

test("code that leaves out steps of an earlier attempt gets the results of the others", async () => {
  let attempts = 0;
  const workflow = {
    run: async (_: never, ctx: WorkflowContext) => {
      attempts += 1;
      if (attempts === 1) await Promise.all([ctx.step("removed", () => 1), ctx.step("also removed", () => 2)]);
      const kept = await Promise.all([ctx.step("kept", () => "kept"), ctx.step("other", () => "other")]);
      if (attempts === 1) throw new Error("again");
      return kept;
    },
  };
  const id = await engine.createRun({ maxAttempts: 2 });
  await engine.execute(await engine.claim(), workflow).ended;
  engine.advance(1000);
  await engine.execute(await engine.claim(), workflow).ended;
  expect((await engine.read(id)).run).toMatchObject({ status: "completed", output: ["kept", "other"] });
});

describe("a call of ctx in the function of a step", () => {
  const calls: { [title: string]: (ctx: WorkflowContext) => unknown } = {
    "a step": (ctx) => ctx.step("inner", () => 1),
    "a step with options": (ctx) => ctx.step("inner", { retries: 1 }, () => 1),
    "a step after other work": async (ctx) => {
      await delay(1);
      return await ctx.step("inner", () => 1);
    },
    "a step of a timer": (ctx) =>
      new Promise((resolve, reject) => setTimeout(() => ctx.step("inner", () => 1).then(resolve, reject), 1)),
    "a step in a nested function": (ctx) => Promise.all([1, 2].map(() => ctx.step("inner", () => 1))),
    "a sleep": (ctx) => ctx.sleep("inner", "1s"),
  };
  test.for(Object.entries(calls))("is refused with both names and the fix: %s", async ([, call]) => {
    const { run } = await engine.attempt({ run: (_, ctx) => ctx.step("outer", () => call(ctx)) }, { maxAttempts: 3 });
    expect(run).toMatchObject({ status: "failed", attempt: 1, error: { name: "StepInStep" } });
    expect(run.error?.message).toMatch(/"inner".* step outer.*Call it after step outer/s);
  });

  test("is refused after the step has ended: the call would be left out when the run continues", async () => {
    let detached: Promise<unknown> = Promise.resolve();
    const { run } = await engine.attempt({
      run: async (_, ctx) => {
        await ctx.step("outer", () => {
          detached = delay(5).then(() => ctx.step("inner", () => 1));
          detached.catch(() => {});
        });
        return await detached.catch((error: Error) => error.name);
      },
    });
    expect(run.output).toBe("StepInStep");
  });

  test("is allowed for the log, and for functions that the step only passes on", async () => {
    const { run, kinds } = await engine.attempt({
      run: async (_, ctx) => {
        const gate = Promise.withResolvers<void>();
        const after = gate.promise.then(() => ctx.step("after", () => "after"));
        await ctx.step("outer", () => {
          ctx.log.info("inside");
          gate.resolve();
        });
        return await after;
      },
    });
    expect(run.output).toBe("after");
    expect(kinds).toContain("log inside");
  });
});

describe("the names of steps", () => {
  test("are numbered in the order of the calls, and no key is used twice", () => {
    const names: fc.Arbitrary<string[]> = fc.array(fc.constantFrom("a", "b", "a#2", "a#3", "a#2#2"), { maxLength: 40 });
    fc.assert(
      fc.property(names, (given) => {
        const taken = new Set<string>();
        const takeName = createNames();
        for (const name of given) {
          let key: string = name;
          for (let use = 2; taken.has(key); use += 1) key = `${name}#${use}`;
          taken.add(key);
          expect(takeName(name)).toBe(key);
        }
      }),
    );
  });

  test("take no longer if there are many of them", () => {
    const takeName = createNames();
    let last = "";
    for (let use = 0; use < 100_000; use += 1) last = takeName("send");
    expect(last).toBe("send#100000");
  });
});
