import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "./cursor.ts";
import { lookThrough } from "./read-list.ts";
import { answerOf, type Steps } from "./steps.ts";

/** Carries out steps whose answers are all there at once, pauses and all. */
function takeSteps<Result>(steps: Steps<Result>, onPause = () => {}): Result {
  let step = steps.next();
  while (!step.done) {
    if (typeof step.value === "symbol") onPause();
    step = steps.next(step.value);
  }
  return step.value;
}

interface Row {
  at: number;
  holds: boolean;
}

const position = ({ at }: Row): Position => ({ at, id: "x" });

/**
 * A list in memory, newest first. Each candidate takes `rowMs`, and the pause after a look as long as the look.
 * `onLook` is called at the end of each.
 */
function searchOf(holds: boolean[], { rowMs = 1, onLook = () => {} }: { rowMs?: number; onLook?: () => void } = {}) {
  const rows = holds.map((held, n): Row => ({ at: holds.length - n, holds: held }));
  let clock = 0;
  let looked = 0;
  const looks: number[] = [];
  interface Request {
    limit: number;
    after: Position | null;
    firstLook: number;
    budgetMs: number;
    lookMs?: number;
    maxLook?: number;
    emptyMs?: number;
    signal?: AbortSignal;
  }
  const search = (p: Request) =>
    takeSteps(
      lookThrough<Row>({
        lookMs: p.budgetMs,
        maxLook: Infinity,
        emptyMs: 0,
        ...p,
        *look(after, candidates) {
          const begin = after === null ? 0 : rows.length - after.at + 1;
          const seen = rows.slice(begin, begin + candidates);
          clock += seen.length * rowMs;
          looked += seen.length;
          looks.push(seen.length);
          const last = seen.at(-1);
          onLook();
          return yield* answerOf({
            found: seen.filter((row) => row.holds).slice(0, p.limit + 1),
            end: seen.length === candidates && last ? position(last) : null,
          });
        },
        position,
        now: () => clock,
      }),
      () => (clock += (looks.at(-1) ?? 0) * rowMs),
    );
  return { rows, search, looks, looked: () => looked };
}

it("gives every row that holds exactly once, in order, however short the pages", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 80 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 60 }),
      (holds, limit, firstLook, budgetMs) => {
        const { rows, search } = searchOf(holds);
        const given: Row[] = [];
        let after: Position | null = null;
        do {
          const page: { rows: Row[]; next: Position | null } = search({ limit, after, firstLook, budgetMs });
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          given.push(...page.rows);
          after = page.next;
        } while (after !== null);
        expect(given).toEqual(rows.filter((row) => row.holds));
      },
    ),
  );
});

it("looks no longer than the time it has, however few rows hold", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 60, max: 500 }), (firstLook, budgetMs) => {
      const { search, looked } = searchOf(Array.from({ length: 5000 }, () => false));
      const { rows, next } = search({ limit: 50, after: null, firstLook, budgetMs });
      expect(looked()).toBeLessThanOrEqual(budgetMs);
      expect({ rows, next: next?.at }).toEqual({ rows: [], next: 5001 - looked() });
    }),
  );
});

it("keeps each look within its time, once it knows how long one takes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 20 }), (firstLook, lookMs) => {
      const { search, looks } = searchOf(Array.from({ length: 5000 }, () => false));
      search({ limit: 50, after: null, firstLook, lookMs, budgetMs: 200 });
      expect(looks.length).toBeGreaterThan(5);
      expect(Math.max(...looks)).toBeLessThanOrEqual(lookMs);
    }),
  );
});

it("keeps its looks within bounds, however many of them end early", () => {
  let most = 0;
  function* look(after: Position | null, candidates: number) {
    most = Math.max(most, candidates);
    const at = (after?.at ?? 2000) - 1;
    return yield* answerOf({ found: [], end: at === 0 ? null : { at, id: "x" } });
  }
  expect(
    takeSteps(
      lookThrough<Row>({
        limit: 5,
        after: null,
        firstLook: 24,
        maxLook: 100_000,
        lookMs: 1,
        budgetMs: 1,
        emptyMs: 0,
        look,
        position,
        now: () => 0,
      }),
    ),
  ).toEqual({ rows: [], next: null });
  expect(most).toBe(100_000);
});

describe("a search that continues a list", () => {
  const request = { limit: 50, firstLook: 200, maxLook: 4_000, lookMs: 5, budgetMs: 30, emptyMs: 1_000 };

  it("through 50,000 rows of which none matches is one request, and no look takes longer than it may", () => {
    const { search, looks, looked } = searchOf(
      Array.from({ length: 50_000 }, () => false),
      { rowMs: 0.002 },
    );
    expect(search({ ...request, after: { at: 50_001, id: "x" } })).toEqual({ rows: [], next: null });
    expect(looked()).toBe(50_000);
    expect(looks.length).toBeLessThan(40);
    expect(Math.max(...looks) * 0.002).toBeLessThanOrEqual(5);
  });

  it("ends in time while it finds nothing, and soon if it found a row", () => {
    const none = searchOf(
      Array.from({ length: 200_000 }, () => false),
      { rowMs: 0.01 },
    );
    const { next } = none.search({ ...request, after: null });
    // Half of the second is pauses.
    expect(none.looked() * 0.01).toBeGreaterThan(450);
    expect(none.looked() * 0.01).toBeLessThanOrEqual(510);
    expect(next?.at).toBe(200_001 - none.looked());
    const one = searchOf(
      Array.from({ length: 200_000 }, (_, n) => n === 0),
      { rowMs: 0.01 },
    );
    expect(one.search({ ...request, after: null }).rows).toHaveLength(1);
    expect(one.looked() * 0.01).toBeLessThanOrEqual(30);
  });

  it("makes at least the progress of a page, however long its pauses are", () => {
    const { search, looked } = searchOf(
      Array.from({ length: 200_000 }, () => false),
      { rowMs: 0.01 },
    );
    search({ ...request, after: null, emptyMs: 1 });
    expect(looked() * 0.01).toBeGreaterThan(20);
  });

  it("ends with the current look when the caller disconnects", () => {
    const caller = new AbortController();
    const { search, looks } = searchOf(
      Array.from({ length: 50_000 }, () => false),
      { rowMs: 0.002, onLook: () => looks.length === 3 && caller.abort() },
    );
    const { rows, next } = search({ ...request, after: null, signal: caller.signal });
    expect([rows, looks.length, next?.at]).toEqual([[], 3, 50_001 - looks.reduce((sum, look) => sum + look)]);
  });
});

it("says that it is the end when exactly a page holds", () => {
  const { search } = searchOf([true, true, false, false]);
  expect(search({ limit: 2, after: null, firstLook: 2, budgetMs: 100 })).toMatchObject({ rows: [{}, {}], next: null });
});
