import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createWaitingRuns } from "./waiting-runs.ts";

test("a number that was requested before a worker ended does not end another one", async () => {
  const counts = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  let asked = 0;
  const waiting = createWaitingRuns({
    count: () => counts[asked++]?.promise ?? Promise.resolve(9),
    onError() {},
    now: () => 0,
  });
  expect(waiting.of("isolated")).toBe(0);
  waiting.forget();
  counts[0]?.resolve(1);
  await setImmediate();
  expect(waiting.of("isolated")).toBe(0);
  counts[1]?.resolve(2);
  await setImmediate();
  expect([waiting.of("isolated"), asked]).toEqual([2, 2]);
});
