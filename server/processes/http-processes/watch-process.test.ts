import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createProcessWatch, judgeProcess, watchEveryMs } from "./watch-process.ts";

test("a process that has spoken in the last eight seconds is never ended", () => {
  fc.assert(
    fc.property(fc.nat(8_000), fc.nat(8_000), (silentMs, lifelessMs) => {
      expect(judgeProcess({ silentMs, lifelessMs: Math.min(silentMs, lifelessMs) })).toBe("fine");
    }),
  );
});

test("one of which no thread has spoken for longer was stopped", () => {
  expect(judgeProcess({ silentMs: 8_001, lifelessMs: 8_001 })).toBe("stopped");
});

test("one that lives may hold its event loop up for 18 seconds: a locked store costs it five at a time", () => {
  expect(judgeProcess({ silentMs: 18_000, lifelessMs: 1_000 })).toBe("fine");
  expect(judgeProcess({ silentMs: 18_001, lifelessMs: 1_000 })).toBe("blocked");
});

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** A process that reports when the test says so. */
function createChild() {
  const startedAt = performance.now();
  let readyAt: number | null = startedAt;
  let heardAt = startedAt;
  let livedAt = startedAt;
  const kill = vi.fn<(how?: string) => void>();
  return {
    startedAt,
    readyAt: () => readyAt,
    heardAt: () => heardAt,
    livedAt: () => livedAt,
    blockReports: () => [{ runId: null, stack: "    at matchForEver (sources.mjs:1:1)" }],
    kill,
    starts: () => (readyAt = null),
    beats: () => (heardAt = livedAt = performance.now()),
    lives: () => (livedAt = performance.now()),
  };
}

/** Looks as often as the keeper does; `each` is what the process does meanwhile. */
async function pass(ms: number, look: () => Promise<void>, each: () => void = () => {}): Promise<void> {
  for (let passed = 0; passed < ms; passed += watchEveryMs) {
    vi.advanceTimersByTime(watchEveryMs);
    each();
    await look();
  }
}

function watch() {
  const child = createChild();
  const places: string[] = [];
  return { child, places, look: createProcessWatch({ child: () => child, onBlocked: (stack) => places.push(stack) }) };
}

test("a web process with a heartbeat is never ended", async () => {
  const { child, look } = watch();
  await pass(120_000, look, child.beats);
  expect(child.kill).not.toHaveBeenCalled();
});

test("one that is stopped is ended within eleven seconds, once, and told of in words", async () => {
  const { child, look, places } = watch();
  await pass(9_500, look);
  expect(child.kill).not.toHaveBeenCalled();
  await pass(1_500, look);
  expect(child.kill.mock.calls).toEqual([
    [expect.stringMatching(/^did not respond for 10 s, as if stopped by SIGSTOP/)],
  ]);
  await pass(5_000, look);
  expect(child.kill).toHaveBeenCalledTimes(1);
  expect(places).toEqual([]);
});

test("a web process whose event loop is blocked is ended within 21 seconds, and the stack is reported", async () => {
  const { child, look, places } = watch();
  await pass(19_500, look, child.lives);
  expect(child.kill).not.toHaveBeenCalled();
  await pass(1_500, look, child.lives);
  expect(child.kill.mock.calls).toEqual([
    [expect.stringContaining("did not respond for 20 s, because its event loop was blocked")],
  ]);
  expect(places).toEqual(["    at matchForEver (sources.mjs:1:1)"]);
});

test("one that wakes within two seconds of having been found is left alone", async () => {
  const { child, look } = watch();
  for (let round = 0; round < 5; round += 1) {
    await pass(9_000, look);
    child.beats();
    await look();
  }
  expect(child.kill).not.toHaveBeenCalled();
});

test("after the supervisor itself was held up, the process gets time to be heard", async () => {
  const { child, look } = watch();
  await pass(1_000, look, child.beats);
  // Both were stopped together, and wake together.
  vi.advanceTimersByTime(3_600_000);
  await look();
  await pass(1_500, look);
  child.beats();
  await pass(60_000, look, child.beats);
  expect(child.kill).not.toHaveBeenCalled();
});

test("one that never serves is ended after two minutes", async () => {
  const { child, look } = watch();
  child.starts();
  await pass(120_000, look);
  expect(child.kill).not.toHaveBeenCalled();
  await pass(500, look);
  expect(child.kill.mock.calls).toEqual([["did not start within 120 s, and was ended"]]);
});
