import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Position } from "./cursor.ts";
import { resultOf, runSync } from "./operation.ts";
import { lookThrough } from "./read-list.ts";

interface Row {
  at: number;
  holds: boolean;
}

const position = ({ at }: Row): Position => ({ at, id: "x" });

/** A list in memory, newest first, of which each candidate takes a millisecond to look at. */
function searchOf(holds: boolean[]) {
  const rows = holds.map((held, n): Row => ({ at: holds.length - n, holds: held }));
  let clock = 0;
  let looked = 0;
  const looks: number[] = [];
  const search = (p: { limit: number; after: Position | null; firstLook: number; budgetMs: number; lookMs?: number }) =>
    runSync(
      lookThrough<Row>({
        lookMs: p.budgetMs,
        ...p,
        *look(after, candidates) {
          const below = rows.filter((row) => after === null || row.at < after.at);
          const seen = below.slice(0, candidates);
          clock += seen.length;
          looked += seen.length;
          looks.push(seen.length);
          const last = seen.at(-1);
          return yield* resultOf({
            found: seen.filter((row) => row.holds).slice(0, p.limit + 1),
            end: seen.length === candidates && last ? position(last) : null,
          });
        },
        position,
        now: () => clock,
      }),
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
    return yield* resultOf({ found: [], end: at === 0 ? null : { at, id: "x" } });
  }
  expect(
    runSync(
      lookThrough<Row>({ limit: 5, after: null, firstLook: 24, lookMs: 1, budgetMs: 1, look, position, now: () => 0 }),
    ),
  ).toEqual({ rows: [], next: null });
  expect(most).toBe(100_000);
});

it("says that it is the end when exactly a page holds", () => {
  const { search } = searchOf([true, true, false, false]);
  expect(search({ limit: 2, after: null, firstLook: 2, budgetMs: 100 })).toMatchObject({ rows: [{}, {}], next: null });
});
