import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "./cursor.ts";
import { type Operation, resultOf } from "../operation.ts";
import { scanCandidates } from "./read-list.ts";

/** Runs an operation whose results are available immediately, and reports its pauses. */
function runWithPauses<Result>(operation: Operation<Result>, onPause = () => {}): Result {
  let step = operation.next();
  while (!step.done) {
    if (typeof step.value === "symbol") onPause();
    step = operation.next(step.value);
  }
  return step.value;
}

interface Row {
  at: number;
  matches: boolean;
}

const position = ({ at }: Row): Position => ({ at, id: "x" });

/**
 * A list in memory, newest first. Each candidate takes `rowMs`, and the pause after a scan takes as long as the scan.
 * `onScan` is called at the end of each scan.
 */
function searchOf(matches: boolean[], { rowMs = 1, onScan = () => {} }: { rowMs?: number; onScan?: () => void } = {}) {
  const rows = matches.map((isMatch, n): Row => ({ at: matches.length - n, matches: isMatch }));
  let clock = 0;
  let scanned = 0;
  const scans: number[] = [];
  interface Request {
    limit: number;
    after: Position | null;
    firstScan: number;
    budgetMs: number;
    maxScanMs?: number;
    maxScan?: number;
    emptyMs?: number;
    signal?: AbortSignal;
  }
  const search = (p: Request) =>
    runWithPauses(
      scanCandidates<Row>({
        maxScanMs: p.budgetMs,
        maxScan: Infinity,
        emptyMs: 0,
        ...p,
        *scan(after, candidates) {
          const begin = after === null ? 0 : rows.length - after.at + 1;
          const seen = rows.slice(begin, begin + candidates);
          clock += seen.length * rowMs;
          scanned += seen.length;
          scans.push(seen.length);
          const last = seen.at(-1);
          onScan();
          return yield* resultOf({
            found: seen.filter((row) => row.matches).slice(0, p.limit + 1),
            end: seen.length === candidates && last ? position(last) : null,
          });
        },
        position,
        now: () => clock,
      }),
      () => (clock += (scans.at(-1) ?? 0) * rowMs),
    );
  return { rows, search, scans, scanned: () => scanned };
}

it("returns every matching row exactly once, in order, for any page size", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 80 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 60 }),
      (matches, limit, firstScan, budgetMs) => {
        const { rows, search } = searchOf(matches);
        const given: Row[] = [];
        let after: Position | null = null;
        do {
          const page: { rows: Row[]; next: Position | null } = search({ limit, after, firstScan, budgetMs });
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          given.push(...page.rows);
          after = page.next;
        } while (after !== null);
        expect(given).toEqual(rows.filter((row) => row.matches));
      },
    ),
  );
});

it("does not exceed its time, even if few rows match", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 60, max: 500 }), (firstScan, budgetMs) => {
      const { search, scanned } = searchOf(Array.from({ length: 5000 }, () => false));
      const { rows, next } = search({ limit: 50, after: null, firstScan, budgetMs });
      expect(scanned()).toBeLessThanOrEqual(budgetMs);
      expect({ rows, next: next?.at }).toEqual({ rows: [], next: 5001 - scanned() });
    }),
  );
});

it("keeps each scan within its time after the first one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 20 }), (firstScan, maxScanMs) => {
      const { search, scans } = searchOf(Array.from({ length: 5000 }, () => false));
      search({ limit: 50, after: null, firstScan, maxScanMs, budgetMs: 200 });
      expect(scans.length).toBeGreaterThan(5);
      expect(Math.max(...scans)).toBeLessThanOrEqual(maxScanMs);
    }),
  );
});

it("limits the size of scans, even if many of them end early", () => {
  let maxSeen = 0;
  function* scan(after: Position | null, candidates: number) {
    maxSeen = Math.max(maxSeen, candidates);
    const at = (after?.at ?? 2000) - 1;
    return yield* resultOf({ found: [], end: at === 0 ? null : { at, id: "x" } });
  }
  expect(
    runWithPauses(
      scanCandidates<Row>({
        limit: 5,
        after: null,
        firstScan: 24,
        maxScan: 100_000,
        maxScanMs: 1,
        budgetMs: 1,
        emptyMs: 0,
        scan,
        position,
        now: () => 0,
      }),
    ),
  ).toEqual({ rows: [], next: null });
  expect(maxSeen).toBe(100_000);
});

describe("a search that continues a list", () => {
  const request = { limit: 50, firstScan: 200, maxScan: 4_000, maxScanMs: 5, budgetMs: 30, emptyMs: 1_000 };

  it("of 50,000 rows without a match is one request, and no scan exceeds its time", () => {
    const { search, scans, scanned } = searchOf(
      Array.from({ length: 50_000 }, () => false),
      { rowMs: 0.002 },
    );
    expect(search({ ...request, after: { at: 50_001, id: "x" } })).toEqual({ rows: [], next: null });
    expect(scanned()).toBe(50_000);
    expect(scans.length).toBeLessThan(40);
    expect(Math.max(...scans) * 0.002).toBeLessThanOrEqual(5);
  });

  it("ends in time if it finds nothing, and earlier if it finds a row", () => {
    const none = searchOf(
      Array.from({ length: 200_000 }, () => false),
      { rowMs: 0.01 },
    );
    const { next } = none.search({ ...request, after: null });
    // Half of the time is pauses.
    expect(none.scanned() * 0.01).toBeGreaterThan(450);
    expect(none.scanned() * 0.01).toBeLessThanOrEqual(510);
    expect(next?.at).toBe(200_001 - none.scanned());
    const one = searchOf(
      Array.from({ length: 200_000 }, (_, n) => n === 0),
      { rowMs: 0.01 },
    );
    expect(one.search({ ...request, after: null }).rows).toHaveLength(1);
    expect(one.scanned() * 0.01).toBeLessThanOrEqual(30);
  });

  it("makes at least the progress of a page, regardless of its pauses", () => {
    const { search, scanned } = searchOf(
      Array.from({ length: 200_000 }, () => false),
      { rowMs: 0.01 },
    );
    search({ ...request, after: null, emptyMs: 1 });
    expect(scanned() * 0.01).toBeGreaterThan(20);
  });

  it("ends with the current scan when the caller disconnects", () => {
    const caller = new AbortController();
    const { search, scans } = searchOf(
      Array.from({ length: 50_000 }, () => false),
      { rowMs: 0.002, onScan: () => scans.length === 3 && caller.abort() },
    );
    const { rows, next } = search({ ...request, after: null, signal: caller.signal });
    expect([rows, scans.length, next?.at]).toEqual([[], 3, 50_001 - scans.reduce((sum, scan) => sum + scan)]);
  });
});

it("reports the end if exactly one page matches", () => {
  const { search } = searchOf([true, true, false, false]);
  expect(search({ limit: 2, after: null, firstScan: 2, budgetMs: 100 })).toMatchObject({ rows: [{}, {}], next: null });
});
