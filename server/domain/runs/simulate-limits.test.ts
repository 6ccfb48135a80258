import { expect, it } from "vitest";
import { type RecordedRun, simulateLimits } from "./simulate-limits.ts";

const runs = (...given: (readonly [createdAt: number, durationMs: number, key?: string | null, failed?: true])[]) =>
  given.map(([createdAt, durationMs, key = null, hasFailed = false], at): RecordedRun => ({
    id: `run_${at}`,
    key,
    createdAt,
    startedAt: createdAt + 1,
    durationMs,
    hasFailed,
    isReplay: false,
  }));
const unlimited = { limit: null, perKey: null, onFailure: "continue" } as const;

it("runs wait for nothing without limits, and their recorded waits are shown beside", () => {
  const simulated = simulateLimits(runs([0, 100, "a"], [10, 100, "a"], [20, 100]), unlimited);
  expect(simulated).toMatchObject({
    runs: 3,
    runsWithoutKey: 1,
    waits: { p50Ms: 0, p95Ms: 0, maxMs: 0 },
    recordedWaits: { p50Ms: 1, p95Ms: 1, maxMs: 1 },
    delayed: 0,
    maxConcurrent: 3,
    busiestKeys: [],
    blockedKeys: 0,
  });
});

it("runs of a key wait for each other, and those of other keys do not", () => {
  const simulated = simulateLimits(runs([0, 100, "a"], [10, 100, "a"], [20, 100, "a"], [30, 100, "b"], [40, 100, ""]), {
    ...unlimited,
    perKey: 1,
  });
  expect(simulated).toMatchObject({ delayed: 2, waits: { p50Ms: 0, maxMs: 180 }, maxConcurrent: 3 });
  expect(simulated.busiestKeys).toEqual([{ key: "a", runs: 3, waitMs: 270, maxWaitMs: 180, maxQueued: 2 }]);
});

it("keys take turns within the limit of all runs", () => {
  const simulated = simulateLimits(runs([0, 10, "a"], [1, 10, "a"], [2, 10, "a"], [3, 10, "b"]), {
    ...unlimited,
    limit: 1,
    perKey: 1,
  });
  // b starts after the first run of a, and the others of a follow.
  expect(simulated.waits.maxMs).toBe(28);
  expect(simulated.maxConcurrent).toBe(1);
});

it("a failed run blocks those of its key that come later or wait already", () => {
  const simulated = simulateLimits(
    runs([0, 100, "a", true], [10, 10, "a"], [500, 10, "a"], [600, 10, "b", true], [700, 10]),
    { ...unlimited, perKey: 1, onFailure: "block" },
  );
  expect(simulated.blockedKeys).toBe(2);
  expect(simulated.blocks).toEqual([
    { key: "a", runId: "run_0", failedAt: "1970-01-01T00:00:00.100Z", runs: 2 },
    { key: "b", runId: "run_3", failedAt: "1970-01-01T00:00:00.610Z", runs: 0 },
  ]);
});

it("replays of a failed run do not wait for the decision, and without perKey nothing is blocked", () => {
  const given = runs([0, 100, "a", true], [500, 10, "a"]).map((run, at) => ({ ...run, isReplay: at === 1 }));
  const block = { ...unlimited, onFailure: "block" } as const;
  expect(simulateLimits(given, { ...block, perKey: 1 }).blocks).toMatchObject([{ key: "a", runs: 0 }]);
  expect(simulateLimits(given, { ...block, limit: 1 }).blockedKeys).toBe(0);
});

it("every run starts once, however the limits are", () => {
  const many = runs(...Array.from({ length: 5_000 }, (_, n) => [n, (n * 7_919) % 400, `k${(n * 31) % 50}`] as const));
  for (const limits of [
    unlimited,
    { ...unlimited, limit: 3 },
    { ...unlimited, perKey: 2 },
    { ...unlimited, limit: 5, perKey: 1 },
  ]) {
    const { runs: count, maxConcurrent, busiestKeys } = simulateLimits(many, limits);
    expect(count).toBe(5_000);
    expect(maxConcurrent).toBeLessThanOrEqual(limits.limit ?? Infinity);
    expect(busiestKeys.length > 0).toBe(limits !== unlimited);
  }
});
