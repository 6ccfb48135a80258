import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRestartPolicy, type Life, type RestartPolicy } from "./restart-policy.ts";

/** Starts in half a second. */
const life = (servedMs: number | null, over: Partial<Life> = {}): Life => ({
  startedAt: 1_000,
  readyAt: servedMs === null ? null : 1_500,
  endedAt: 1_500 + (servedMs ?? 0),
  isOwnFault: false,
  ...over,
});
const neverServed = life(null, { isOwnFault: true });
const failTimes = (policy: RestartPolicy, times: number) =>
  Array.from({ length: times }, () => policy.pauseAfter(neverServed));

test("a process that does not come up is started again at once, then after pauses that double up to half a minute", () => {
  expect(failTimes(createRestartPolicy(), 11)).toEqual([
    0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test("a process that served and is killed from outside is started again at once, however often", () => {
  const policy = createRestartPolicy();
  expect(Array.from({ length: 50 }, () => policy.pauseAfter(life(600)))).toEqual(Array(50).fill(0));
  expect(policy.failedStarts()).toBe(0);
});

test("one that crashes within five seconds of serving counts as a failed start, one that crashes later does not", () => {
  const policy = createRestartPolicy();
  expect([1, 2, 3].map(() => policy.pauseAfter(life(4_999, { isOwnFault: true })))).toEqual([0, 250, 500]);
  expect(policy.failedStarts()).toBe(3);
  expect(policy.pauseAfter(life(5_000, { isOwnFault: true }))).toBe(0);
  expect(policy.failedStarts()).toBe(0);
});

test("one that crashes in the middle of work is replaced at once: others wait for it", () => {
  const policy = createRestartPolicy();
  expect([1, 2, 3].map(() => policy.pauseAfter(life(10, { isOwnFault: true, hadWork: true })))).toEqual([0, 0, 0]);
});

test("pauses start again from zero after a process that did not fail", () => {
  const policy = createRestartPolicy();
  failTimes(policy, 8);
  expect(policy.pauseAfter(life(60_000))).toBe(0);
  expect(failTimes(policy, 3)).toEqual([0, 250, 500]);
});

test("what is killed whenever it begins to serve is not started more often than once a second", () => {
  expect(createRestartPolicy().pauseAfter(life(0))).toBe(500);
  expect(createRestartPolicy().pauseAfter(life(499))).toBe(1);
});

test("no pause is longer than half a minute, and none follows a life of five seconds, regardless of earlier failures", () => {
  const lives = fc.record({
    servedMs: fc.option(fc.nat(20_000)),
    isOwnFault: fc.boolean(),
    hadWork: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(lives, { maxLength: 60 }), (before) => {
      const policy = createRestartPolicy();
      for (const { servedMs, ...over } of before) {
        const pauseMs = policy.pauseAfter(life(servedMs, over));
        expect(pauseMs).toBeGreaterThanOrEqual(0);
        expect(pauseMs).toBeLessThanOrEqual(30_000);
      }
      expect(policy.pauseAfter(life(5_000, { isOwnFault: true }))).toBe(0);
    }),
  );
});
