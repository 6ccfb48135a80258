import { afterEach, beforeEach, expect, test } from "vitest";
import { createEngineHarness } from "../testing/engine-harness.ts";
import { countStoredBytes, maxStoredBytes } from "./stored-bytes.ts";

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
beforeEach(async () => {
  engine = await createEngineHarness();
});
afterEach(() => engine.close());

test("the results of a run have 64 MB together; the step that exceeds them fails the run at once, and nothing of it is stored", async () => {
  const large = "x".repeat(15_000_000);
  const id = await engine.createRun({ maxAttempts: 3 });
  await engine.execute(await engine.claim(), {
    run: async (_, ctx) => {
      for (let part = 1; part <= 5; part += 1) await ctx.step(`part ${part}`, () => large);
    },
  }).ended;
  const { run } = await engine.read(id);
  expect(run).toMatchObject({ status: "failed", attempt: 1, error: { name: "StoredResultsTooLarge" } });
  expect(run.error?.message).toMatch(/64.0 MB.*step part 5 has no room.*return references/s);
  const stored = await engine.store.loadSteps(id);
  expect(stored.filter(({ finishedAt }) => finishedAt !== null).map(({ name }) => name)).toEqual([
    "part 1",
    "part 2",
    "part 3",
    "part 4",
  ]);
});

test("what earlier executions have stored counts, and so do names and the number of steps", () => {
  const half = { name: "a", result: "x".repeat(maxStoredBytes / 2) };
  const counted = countStoredBytes([half]);
  expect(() => counted.add("b", half.result)).toThrow("64.0 MB");
  counted.add("b", "small");
  const many = countStoredBytes(Array.from({ length: 320_000 }, (_, at) => ({ name: `step ${at}`, result: null })));
  expect(() => many.requireRoom("another")).toThrow("Another step another has no room");
});

test("failures count, and a row replaces the one of an earlier try", () => {
  const counted = countStoredBytes([]);
  const most = "x".repeat(maxStoredBytes - 10_000);
  for (let tries = 0; tries < 3; tries += 1) counted.count("flaky", most);
  counted.requireRoom("another");
  counted.add("flaky", "completed");
  counted.add("other", most);
  counted.count("failed", "x".repeat(10_000));
  expect(() => counted.requireRoom("another")).toThrow("Another step another has no room");
});

test("the failures of steps fill the room of a run", async () => {
  const id = await engine.createRun();
  await engine.execute(await engine.claim(), {
    run: async (_, ctx) => {
      for (let part = 1; part <= 4; part += 1) await ctx.step(`part ${part}`, () => "x".repeat(15_900_000));
      for (let part = 1; part <= 40; part += 1)
        await ctx
          .step(`failure ${part}`, () => Promise.reject(new Error("x".repeat(16 * 1024))))
          .catch((error: Error) => {
            if (error.name === "StoredResultsTooLarge") throw error;
          });
    },
  }).ended;
  expect((await engine.read(id)).run.error).toMatchObject({ name: "StoredResultsTooLarge" });
});
