import * as fc from "fast-check";
import { expect, it } from "vitest";
import { barsOf, type Kind, minBarHeight } from "./kinds.ts";

const kinds: readonly Kind[] = ["accepted", "skipped", "repeated", "rejected"];

it("a single delivery next to thousands is visible", () => {
  expect(barsOf({ kinds, counts: { accepted: 1 }, top: 40_000 })).toEqual([{ kind: "accepted", y: 95, height: 5 }]);
  expect(barsOf({ kinds, counts: { accepted: 39_999, rejected: 1 }, top: 40_000 })).toEqual([
    { kind: "accepted", y: 9, height: 91 },
    { kind: "rejected", y: 4, height: 5 },
  ]);
});

it("every count has a bar, stacked on the previous one, within the plot", () => {
  const counts = fc.record({ accepted: fc.nat(90_000), skipped: fc.nat(40), repeated: fc.nat(3), rejected: fc.nat(1) });
  fc.assert(
    fc.property(counts, fc.nat(90_000), (some, more) => {
      const total = some.accepted + some.skipped + some.repeated + some.rejected;
      const bars = barsOf({ kinds, counts: some, top: Math.max(1, total + more) });
      expect(bars.map(({ kind }) => kind)).toEqual(
        kinds.filter((kind) => (some as Record<string, number>)[kind] !== 0),
      );
      let ground = 100;
      for (const { y, height } of bars) {
        expect(height).toBeGreaterThanOrEqual(minBarHeight - 1e-9);
        expect(y + height).toBeCloseTo(ground);
        ground = y;
      }
      expect(ground).toBeGreaterThanOrEqual(4 - 1e-9);
    }),
  );
});

it("a count of zero has no bar", () => {
  expect(barsOf({ kinds, counts: {}, top: 1 })).toEqual([]);
});
