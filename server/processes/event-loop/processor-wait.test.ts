import { spawn } from "node:child_process";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { measureSilence, readProcessorWait } from "./processor-wait.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A silence whose process waits for a processor as the test says. */
function observe() {
  let waitedMs: number | null = 500;
  const silence = measureSilence(1, () => waitedMs);
  return {
    silence,
    pass(ms: number, waiting: number | null = 0) {
      vi.advanceTimersByTime(ms);
      waitedMs = waiting === null || waitedMs === null ? null : waitedMs + waiting;
      return silence.ms();
    },
  };
}

test("a silence lasts from the last message", () => {
  const { silence, pass } = observe();
  expect(pass(900)).toBe(900);
  expect(pass(8_000)).toBe(8_900);
  silence.end();
  expect(pass(300)).toBe(300);
});

test("the time in which the process waited for a processor does not count, but an eighth of the whole always does", () => {
  const { silence, pass } = observe();
  pass(1_000);
  expect(pass(10_000, 7_000)).toBe(4_000);
  expect(pass(9_000, 9_000)).toBe(4_000);
  expect(pass(60_000, 60_000)).toBe(10_000);
  silence.end();
  // The next silence has its own wait.
  expect(pass(2_000, 1_500)).toBe(2_000);
  expect(pass(1_000, 1_000)).toBe(2_000);
});

test("without the numbers of the system, all of the silence counts", () => {
  const { pass } = observe();
  pass(1_000);
  expect(pass(9_000, null)).toBe(10_000);
});

test("a silence is never longer than the time that passed, and never shorter than an eighth of it", () => {
  const passing = fc.array(fc.record({ ms: fc.nat(20_000), waiting: fc.nat(40_000) }), { maxLength: 20 });
  fc.assert(
    fc.property(passing, (steps) => {
      const { pass } = observe();
      let passed = 0;
      for (const { ms, waiting } of steps) {
        passed += ms;
        const silentMs = pass(ms, waiting);
        expect(silentMs).toBeLessThanOrEqual(passed + 1e-6);
        expect(silentMs).toBeGreaterThanOrEqual(passed / 8 - 1e-6);
      }
    }),
  );
});

const isLinux = process.platform === "linux";

test.runIf(isLinux)("the wait of a running process is read, and that of none is unknown", () => {
  const child = spawn(process.execPath, ["-e", "for (;;) {}"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(readProcessorWait(child.pid ?? -1)).toBeGreaterThanOrEqual(0);
  expect(readProcessorWait(2 ** 30)).toBeNull();
});
