import fc from "fast-check";
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
        if (kind === "set") {
          transient.set(key, `${key} at ${at}`);
          map.set(key, `${key} at ${at}`);
        } else expect(transient.delete(key)).toBe(map.delete(key));
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
