import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createEngineHarness, type TestWorkflow } from "./testing/engine-harness.ts";

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
beforeEach(async () => {
  engine = await createEngineHarness();
});
afterEach(() => engine.close());

type Options = Parameters<typeof engine.execute>[2];

/** Executes the run that is due, with this code. */
async function execute(workflow: TestWorkflow, options?: Options) {
  const run = await engine.claim();
  await engine.execute(run, workflow, options).ended;
  return await engine.read(run.id);
}

async function resume(id: string, attempts = 1) {
  const { run } = await engine.read(id);
  const order = { id, target: run.target, version: "v1", attempts, seenAttempt: run.attempt };
  expect(await engine.store.resumeRuns([order], engine.clock.now())).toEqual([null]);
}

const triggered = { payload: { name: "ada" }, input: null, attachmentId: "knock:work", trigger: "knock" };
const noInput = { input: z.object({ to: z.string() }), run: (input: unknown) => ({ input }) };

test("a resumed run executes only its unfinished steps, with the same idempotency keys", async () => {
  const keys: string[] = [];
  const reserve = (fixed: boolean): TestWorkflow => ({
    async run(_, ctx) {
      for (const item of ["a", "b", "c"])
        await ctx.step(`reserve ${item}`, ({ idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (item === "b" && !fixed) throw new Error("sold out");
        });
      return "reserved";
    },
  });
  const id = await engine.createRun();
  expect((await execute(reserve(false))).run.status).toBe("failed");
  await resume(id);
  const { run, kinds } = await execute(reserve(true));
  expect(run).toMatchObject({ id, status: "completed", output: "reserved", attempt: 2, error: null });
  expect(keys).toEqual(["a", "b", "b", "c"].map((item) => `${id}:reserve ${item}`));
  expect(kinds.slice(kinds.indexOf("resume_requested"))).toEqual([
    "resume_requested",
    "attempt_started",
    "step_reused reserve a",
    "step_started reserve b",
    "step_completed reserve b",
    "step_started reserve c",
    "step_completed reserve c",
    "completed",
  ]);
});

test("a resumed run has all attempts and the first wait again", async () => {
  const id = await engine.createRun({ maxAttempts: 2 });
  const flaky = { run: () => Promise.reject(new Error("flaky")), retries: { attempts: 2 } };
  await execute(flaky);
  engine.advance(1000);
  expect((await execute(flaky)).run).toMatchObject({ status: "failed", attempt: 2, maxAttempts: 2 });
  await resume(id, 2);
  expect((await execute(flaky)).run).toMatchObject({ status: "waiting", attempt: 3, maxAttempts: 4 });
  engine.advance(1000);
  expect((await execute(flaky)).run).toMatchObject({ status: "failed", attempt: 4 });
});

test("a transform that failed runs again, with the payload of the run", async () => {
  const id = await engine.createRun(triggered);
  const failed = await execute(noInput, { transform: () => Promise.reject(new RangeError("no such plan")) });
  expect(failed.run).toMatchObject({ status: "failed", error: { name: "TransformFailed" } });
  await resume(id);
  const { run } = await execute(noInput, { transform: ({ name }: { name: string }) => ({ to: name }) });
  expect(run).toMatchObject({ status: "completed", input: { to: "ada" }, output: { input: { to: "ada" } } });
});

test("a recorded input stays, although the transform is another one now", async () => {
  const id = await engine.createRun(triggered);
  const fails = { ...noInput, run: () => Promise.reject(new Error("no")) };
  await execute(fails, { transform: () => ({ to: "first" }) });
  await resume(id);
  const { run } = await execute(noInput, { transform: () => ({ to: "second" }) });
  expect(run).toMatchObject({ status: "completed", output: { input: { to: "first" } } });
});

test("a recorded input that the build does not accept is made again from the payload", async () => {
  const id = await engine.createRun(triggered);
  const fails = { input: z.object({ name: z.string() }), run: () => Promise.reject(new Error("no")) };
  await execute(fails, { transform: ({ name }: { name: string }) => ({ name }) });
  await resume(id);
  const { run } = await execute(noInput, { transform: ({ name }: { name: string }) => ({ to: name }) });
  expect(run).toMatchObject({ status: "completed", input: { to: "ada" } });
});

test("an input of the caller that the build does not accept fails the run again", async () => {
  const id = await engine.createRun({ input: { name: "ada" } });
  expect((await execute(noInput)).run).toMatchObject({ status: "failed", error: { name: "InvalidInput" } });
  await resume(id);
  expect((await execute(noInput)).run).toMatchObject({ status: "failed", error: { name: "InvalidInput" } });
});

test("a run that timed out is resumed with its whole timeout", async () => {
  const id = await engine.createRun();
  const slow: TestWorkflow = { run: () => new Promise<never>(() => {}), timeoutMs: 20 };
  expect((await execute(slow)).run.status).toBe("timed_out");
  await resume(id);
  expect((await execute({ run: () => "done" })).run).toMatchObject({ status: "completed", output: "done" });
});
