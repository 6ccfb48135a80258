import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createEngineHarness, type TestWorkflow } from "./testing/engine-harness.ts";

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
beforeEach(async () => {
  engine = await createEngineHarness();
});
afterEach(() => engine.close());

const large = "x".repeat(17_000_000);
const received = { payload: {}, input: null, attachmentId: "knock:work", trigger: "knock" };
const returns = (output: unknown): TestWorkflow => ({ run: () => output });

const results: { [title: string]: [workflow: TestWorkflow, transform: (() => unknown) | null, message: string] } = {
  "a transform": [
    returns(1),
    () => ({ rows: [large] }),
    "The result of the transform of trigger knock exceeds 16.0 MB",
  ],
  "an input schema": [
    { ...returns(1), input: z.object({ rows: z.array(z.string()).default([large]) }) },
    null,
    "The input of workflow work, as its schema returns it, exceeds 16.0 MB",
  ],
  "a run": [returns({ rows: [large] }), null, "The output of workflow work exceeds 16.0 MB"],
  "an output schema": [
    { ...returns({}), output: z.object({ rows: z.array(z.string()).default([large]) }) },
    null,
    "The output of workflow work exceeds 16.0 MB",
  ],
};

test.for(Object.entries(results))(
  "the result of %s has at most 16 MB: a larger one fails the run at once, and names its largest part",
  async ([, [workflow, transform, message]]) => {
    const options = transform ? { transform } : {};
    const { run } = await engine.attempt(workflow, { ...received, maxAttempts: 5 }, options);
    expect(run).toMatchObject({ status: "failed", attempt: 1, output: null, error: { name: "ResultTooLarge" } });
    expect(run.error?.message).toContain(`${message}`);
    expect(run.error?.message).toContain("Its largest part is /rows/0 (17.0 MB)");
  },
);

test("the result of onFailure has at most 16 MB", async () => {
  const workflow: TestWorkflow = {
    run: () => Promise.reject(new Error("no")),
    onFailure: () => ({ rows: [large] }),
    retries: { attempts: 1 },
  };
  await engine.attempt(workflow, { maxAttempts: 1 });
  const handler = await engine.claim();
  await engine.execute(handler, workflow).ended;
  expect((await engine.read(handler.id)).run.error).toMatchObject({
    name: "ResultTooLarge",
    message: expect.stringContaining("The result of onFailure of workflow work exceeds 16.0 MB"),
  });
});

test("a result that has more characters than a string can have is too large, not unsuitable for JSON", async () => {
  const { run } = await engine.attempt(returns(Array.from({ length: 33 }, () => large)));
  expect(run.error?.message).toContain("The output of workflow work exceeds 16.0 MB (more than 512 MB)");
});

test("a body of more than 16 MB reaches its workflow, with the defaults of the input schema", async () => {
  const payload = { rows: [large], more: "y".repeat(2_000_000) };
  const input = z.looseObject({ copies: z.int().default(1) });
  const { run } = await engine.attempt({ input, run: () => 1 }, { ...received, payload });
  expect([run.error, run.status]).toEqual([null, "completed"]);
  expect(run.input).toMatchObject({ copies: 1 });
});

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

test.for([513, 3_000, 100_000])(
  "a result of %i levels is not stored: 512 are the most, as for bodies",
  async (levels) => {
    const failed = { status: "failed", attempt: 1, error: { name: "NotJson" } };
    const transform = () => nested(levels);
    const step: TestWorkflow = { run: (_, ctx) => ctx.step("nest", transform as never) };
    for (const { run } of [
      await engine.attempt(returns(nested(levels)), { maxAttempts: 3 }),
      await engine.attempt(step, { maxAttempts: 3 }),
      await engine.attempt(returns(1), { ...received, maxAttempts: 3 }, { transform }),
    ]) {
      expect(run).toMatchObject(failed);
      expect(run.error?.message).toContain("is nested deeper than 512 levels");
    }
  },
);

test("a result of 512 levels is stored, and brackets in its texts do not count", async () => {
  for (const value of [nested(512), ["[{".repeat(1_000)]])
    expect((await engine.attempt(returns(value))).run).toMatchObject({ status: "completed", output: value });
});
