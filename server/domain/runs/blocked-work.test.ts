import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blockReasons,
  type DueRuns,
  describeBlockedRuns,
  findBlockedRuns,
  fixBlockedRuns,
  pools,
  type WorkerState,
} from "./blocked-work.ts";

const now = Date.UTC(2026, 0, 1);
const worker = (over: Partial<WorkerState> = {}): WorkerState => ({
  pool: "shared",
  version: "v1",
  startedAt: now - 100_000,
  seenAt: now - 5_000,
  isResponsive: true,
  freeSlots: 3,
  ...over,
});
const due = (over: Partial<DueRuns> = {}): DueRuns => ({
  pool: "shared",
  version: null,
  runs: 2,
  oldestAt: now - 60_000,
  ...over,
});
const reasons = (work: DueRuns[], workers: WorkerState[]) =>
  findBlockedRuns({ due: work, workers, now }).map(({ reason, isOutage }) => [reason, isOutage]);

describe("due runs", () => {
  it("are not blocked if a worker that takes them responds and has a free slot", () => {
    const states = fc.constantFrom<Partial<WorkerState>>(
      { isResponsive: false },
      { freeSlots: 0 },
      { isLeaving: true },
    );
    fc.assert(
      fc.property(fc.array(states), (others) => {
        expect(reasons([due()], [...others.map(worker), worker()])).toEqual([]);
        // A worker of an older version reports less.
        expect(
          reasons([due()], [...others.map(worker), worker({ isResponsive: null, freeSlots: null, pool: null })]),
        ).toEqual([]);
      }),
    );
  });

  it("are not blocked if they became due a moment ago", () => {
    expect(reasons([due({ oldestAt: now - 15_000 + 1 })], [])).toEqual([]);
    expect(reasons([due({ oldestAt: now - 15_000 })], [])).toEqual([["no_worker", true]]);
  });

  it.each<[string, WorkerState[], [string, boolean]]>([
    ["no worker has reported", [worker({ seenAt: now - 15_000 })], ["no_worker", true]],
    ["every worker leaves", [worker({ isLeaving: true })], ["no_worker", true]],
    ["there are only isolated workers", [worker({ pool: "isolated" })], ["no_worker", true]],
    ["code blocks every worker", [worker({ isResponsive: false })], ["unresponsive", true]],
    [
      "every worker that responds is busy",
      [worker({ isResponsive: false }), worker({ freeSlots: 0 })],
      ["busy", false],
    ],
  ])("are blocked if %s", (_, workers, expected) => {
    expect(reasons([due()], workers)).toEqual([expected]);
  });

  it("of a version are blocked if no worker takes its runs, which is no outage for the others", () => {
    const newest = worker({ version: "v2", startedAt: now - 50_000 });
    // The newest version takes runs of versions that no machine has.
    expect(reasons([due({ version: "v1" })], [newest])).toEqual([]);
    expect(reasons([due({ version: "v1" })], [newest, worker({ isResponsive: false })])).toEqual([
      ["unresponsive", false],
    ]);
    expect(reasons([due({ version: "v1" })], [newest, worker({ pool: "isolated" })])).toEqual([
      ["other_versions", false],
    ]);
    expect(reasons([due({ version: "v1" })], [{ ...newest, keptVersions: ["v1"] }, worker({ freeSlots: 0 })])).toEqual(
      [],
    );
    expect(reasons([due({ version: "v2" })], [worker(), { ...newest, freeSlots: 0 }])).toEqual([["busy", false]]);
  });

  it("that are isolated are blocked apart from the others", () => {
    expect(reasons([due({ pool: "isolated" })], [worker()])).toEqual([["no_worker", false]]);
    const isolated = worker({ pool: "isolated", freeSlots: 0 });
    expect(reasons([due({ pool: "isolated" })], [worker(), isolated])).toEqual([["busy", false]]);
  });

  it("that are blocked are described with their number, the time, the reason and a fix", () => {
    for (const pool of pools)
      for (const reason of blockReasons)
        for (const runs of [1, 2, 1_000]) {
          const blocked = { pool, reason, runs, version: null, since: now, workers: runs, isOutage: true };
          const text = describeBlockedRuns(blocked);
          expect(text).toMatch(
            /^(At least )?[\d,]+ (isolated )?runs? (is|are) due, and no worker can take (it|them), since 2026-01-01 /,
          );
          expect(text.split(/\s+/).length).toBeLessThanOrEqual(36);
          expect(fixBlockedRuns(blocked)).toMatch(/\.$|`\.$/);
        }
    const blocked = {
      pool: "shared",
      reason: "other_versions",
      runs: 2,
      version: "v1",
      since: now,
      workers: 0,
    } as const;
    expect(describeBlockedRuns({ ...blocked, isOutage: false })).toBe(
      "2 runs of version v1 are due, and no worker can take them, since 2026-01-01 00:00:00.000 UTC: no worker takes runs of this version.",
    );
  });
});
