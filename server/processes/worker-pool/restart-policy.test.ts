import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRestartPolicy, type Lifetime, type RestartPolicy } from "./restart-policy.ts";

/** Starts in half a second. */
const lifetime = (readyForMs: number | null, over: Partial<Lifetime> = {}): Lifetime => ({
  startedAt: 1_000,
  readyAt: readyForMs === null ? null : 1_500,
  endedAt: 1_500 + (readyForMs ?? 0),
  isOwnFault: false,
  ...over,
});
const neverReady = lifetime(null, { isOwnFault: true });
const failTimes = (policy: RestartPolicy, times: number) =>
  Array.from({ length: times }, () => policy.pauseAfter(neverReady));

test("a process that does not become ready is restarted at once, then after pauses that double up to half a minute", () => {
  expect(failTimes(createRestartPolicy(), 11)).toEqual([
    0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test("a ready process that is killed from outside is restarted at once, however often it happens", () => {
  const policy = createRestartPolicy();
  expect(Array.from({ length: 50 }, () => policy.pauseAfter(lifetime(600)))).toEqual(Array(50).fill(0));
  expect(policy.failedStarts()).toBe(0);
});

test("a crash within five seconds of being ready counts as a failed start, a later crash does not", () => {
  const policy = createRestartPolicy();
  expect([1, 2, 3].map(() => policy.pauseAfter(lifetime(4_999, { isOwnFault: true })))).toEqual([0, 250, 500]);
  expect(policy.failedStarts()).toBe(3);
  expect(policy.pauseAfter(lifetime(5_000, { isOwnFault: true }))).toBe(0);
  expect(policy.failedStarts()).toBe(0);
});

test("a process that crashes while it has work is restarted at once, because others wait for that work", () => {
  const policy = createRestartPolicy();
  expect([1, 2, 3].map(() => policy.pauseAfter(lifetime(10, { isOwnFault: true, hadWork: true })))).toEqual([0, 0, 0]);
});

test("pauses start again from zero after a process that did not fail", () => {
  const policy = createRestartPolicy();
  failTimes(policy, 8);
  expect(policy.pauseAfter(lifetime(60_000))).toBe(0);
  expect(failTimes(policy, 3)).toEqual([0, 250, 500]);
});

test("a process that is killed whenever it is ready is started at most once a second", () => {
  expect(createRestartPolicy().pauseAfter(lifetime(0))).toBe(500);
  expect(createRestartPolicy().pauseAfter(lifetime(499))).toBe(1);
});

test("no pause is longer than half a minute, and none follows a lifetime of five seconds, regardless of earlier failures", () => {
  const lifetimes = fc.record({
    readyForMs: fc.option(fc.nat(20_000)),
    isOwnFault: fc.boolean(),
    hadWork: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(lifetimes, { maxLength: 60 }), (before) => {
      const policy = createRestartPolicy();
      for (const { readyForMs, ...over } of before) {
        const pauseMs = policy.pauseAfter(lifetime(readyForMs, over));
        expect(pauseMs).toBeGreaterThanOrEqual(0);
        expect(pauseMs).toBeLessThanOrEqual(30_000);
      }
      expect(policy.pauseAfter(lifetime(5_000, { isOwnFault: true }))).toBe(0);
    }),
  );
});
