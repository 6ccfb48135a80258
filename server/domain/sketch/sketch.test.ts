import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { addSketch, emptySketch, maxPaths, maxValues, type Sketch, sketchOf } from "./sketch.ts";

const key = "sbk_0123456789abcdefghijklmnopqrstuvwxyz";

/** Payloads with few names, so that they share paths. */
const payload = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 1, 2.5, 2 ** 60, "open", "closed", "a@b.co", "2026-01-31", "free text, long."),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("id", "type", "user", "a/b", "m~n", "2026-01-31", "~items"), tie("value"), {
      maxKeys: 4,
    }),
  ),
})).value;
const seen = fc.array(fc.tuple(payload, fc.nat(1_000)), { maxLength: 8 });

function sketchAll(payloads: readonly (readonly [Json, number])[]): Sketch {
  const sketch = emptySketch();
  for (const [body, at] of payloads) addSketch(sketch, sketchOf(body, at));
  return sketch;
}

/** Without the order of entries, which has no meaning. */
function contents({ paths, ...rest }: Sketch) {
  return {
    ...rest,
    paths: Object.fromEntries(
      [...paths].map(([path, facts]) => [path, { ...facts, values: facts.values && Object.fromEntries(facts.values) }]),
    ),
  };
}

describe("a sketch", () => {
  it("is the same for every order and every division of its payloads", () => {
    fc.assert(
      fc.property(
        seen.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.nat(8))),
        ([all, shuffled, cut]) => {
          const divided = sketchAll(shuffled.slice(0, cut));
          addSketch(divided, sketchAll(shuffled.slice(cut)));
          expect(contents(divided)).toEqual(contents(sketchAll(all)));
        },
      ),
    );
  });

  it("is the same for every order beyond its maximum number of paths, and keeps the shallow ones", () => {
    const bodies = [wide(0), wide(1_000), wide(2_000)].map((body) => [body, 1] as const);
    const [one, other] = [sketchAll(bodies), sketchAll(bodies.toReversed())];
    expect(one.paths.size).toBe(maxPaths);
    expect(contents(one)).toEqual(contents(other));
    expect(one.firstOmitted).toMatch(/^\/k\w+\/inner$/);
    expect([...one.paths.keys()].filter((path) => path.split("/").length === 2)).toHaveLength(3_500);
  });

  it("counts the values of a path by type, with the first and the last time", () => {
    const sketch = sketchAll([
      [{ id: 1, note: null }, 20],
      [{ id: "a", note: null }, 10],
      [{ id: 2 ** 60 }, 30],
    ]);
    expect(sketch).toMatchObject({ count: 3, firstSeen: 10, lastSeen: 30 });
    expect(sketch.paths.get("/id")).toMatchObject({ types: { integer: 1, string: 1, number: 1 }, firstSeen: 10 });
    expect(sketch.paths.get("/note")).toMatchObject({ types: { null: 2 }, firstSeen: 10, lastSeen: 20 });
  });

  it("forgets the values of a path that has too many, and of one with free text", () => {
    const bodies = Array.from({ length: maxValues + 1 }, (_, n): [Json, number] => [{ state: `s${letters(n)}` }, 1]);
    expect(sketchAll(bodies).paths.get("/state")?.values).toBeNull();
    expect(sketchAll(bodies.slice(1)).paths.get("/state")?.values?.size).toBe(maxValues);
    expect(sketchOf({ state: "Dear all, hello" }, 1).paths.get("/state")?.values).toBeNull();
  });

  it("has one path for keys that are data", () => {
    const sketch = sketchOf(
      { users: { "0198c1d2-7a30-7c3e-9d5b-4f1f0e6a2b11": 1, "a@b.co": 2, cus_NffrFeUfNV2Hib: 3, "17": 4 }, "+1": 0 },
      1,
    );
    expect([...sketch.paths.keys()]).toEqual(["", "/users", "/+1", "/users/~values"]);
    expect(sketch.paths.get("/users/~values")?.types).toEqual({ integer: 4 });
  });

  it.each<Json>(["[redacted]", key, `token ${key}`, { [key]: 1 }, { "[redacted]": "[redacted]" }])(
    "has no redacted value: %j",
    (value) => {
      const { paths } = sketchOf({ value, list: [value] }, 1);
      const remembered = [...paths].flatMap(([path, { values }]) => [path, ...(values?.keys() ?? [])]).join("\n");
      expect(remembered).not.toMatch(/redacted|sbk_/);
    },
  );

  it("reads a bounded part of a large payload", () => {
    const body: Json = { list: Array.from({ length: 100_000 }, (_, n) => n), last: "x" };
    const { paths } = sketchOf(body, 1);
    expect(paths.get("/last")?.types).toEqual({ string: 1 });
    expect(paths.get("/list/~items")?.types.integer).toBeLessThan(20_000);
  });
});

/** A payload with 1,500 fields. */
const wide = (from: number): Json =>
  Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`k${letters(from + n)}`, { inner: { deep: n } }]));

/** A number as letters, so that it makes a name. */
function letters(number: number): string {
  return [...String(number)].map((digit) => "abcdefghij"[Number(digit)]).join("");
}
