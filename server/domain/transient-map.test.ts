import * as fc from "fast-check";
import { expect, it } from "vitest";
import { TransientMap } from "./transient-map.ts";

type Change = { kind: "set" | "delete"; key: number };

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("set", "delete"),
  key: fc.integer({ min: 0, max: 100 }),
});

it("has the entries of a Map, in their order, after any changes", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 2_000, size: "max" }), (changes) => {
      const transient = new TransientMap<number, string>();
      const map = new Map<number, string>();
      for (const [at, { kind, key }] of changes.entries()) {
        const apply = (to: { set(key: number, value: string): unknown; delete(key: number): boolean }) =>
          kind === "delete" ? to.delete(key) : void to.set(key, `${key} at ${at}`);
        expect(apply(transient)).toBe(apply(map));
        expect(transient.get(key)).toBe(map.get(key));
        expect(transient.has(key)).toBe(map.has(key));
        expect(transient.size).toBe(map.size);
      }
      expect([...transient]).toEqual([...map]);
      expect([...transient.keys()]).toEqual([...map.keys()]);
      expect([...transient.values()]).toEqual([...map.values()]);
    }),
  );
});
