import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findLargestPart, findUnstorable } from "./find-unstorable.ts";

const cycle: { name: string; parts: { whole?: unknown }[] } = { name: "a", parts: [{}] };
cycle.parts[0] = { whole: cycle };
const own: { self?: unknown } = {};
own.self = own;

describe("findUnstorable", () => {
  test.each([
    ["a bigint", 1n, "", "is a bigint"],
    ["a bigint in a list in a field", { "a/b": [1, { n: 2n }] }, "/a~1b/1/n", "is a bigint"],
    ["a bigint that toJSON returns", { at: { toJSON: () => ({ ms: 5n }) } }, "/at/ms", "is a bigint"],
    ["a cycle", cycle, "/parts/0/whole", "is a cycle: it is the same object as the whole value"],
    ["a cycle further down", { a: { b: own } }, "/a/b/self", "is a cycle: it is the same object as /a/b"],
    [
      "a toJSON that throws",
      {
        a: {
          toJSON() {
            throw new Error("no form");
          },
        },
      },
      "/a",
      "has a toJSON that throws: no form",
    ],
  ])("names the path of %s", (_, value, pointer, why) => {
    expect(() => JSON.stringify(value)).toThrow(/BigInt|circular|no form/);
    expect(findUnstorable(value)).toMatchObject({ pointer, why });
  });

  test("finds nothing if the same object occurs twice without a cycle", () => {
    const shared = { n: 1 };
    expect(findUnstorable({ a: shared, b: [shared, shared] })).toBeNull();
  });

  test("finds nothing, and does not throw, for a value that is nested too deeply", () => {
    let deep: unknown = 1n;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    expect(findUnstorable(deep)).toBeNull();
  });

  test("for any value without cycles, finds a path if and only if JSON.stringify throws", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.bigInt(),
        fc.jsonValue(),
        fc.constantFrom(undefined, Symbol("x"), () => 1, new Date(0), new Date(Number.NaN), new Map([[1, 2n]])),
        fc.array(tie("any"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("any"), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (one) => {
        let isStorable = true;
        try {
          JSON.stringify(one);
        } catch {
          isStorable = false;
        }
        expect(findUnstorable(one) === null).toBe(isStorable);
      }),
    );
  });
});

describe("findLargestPart", () => {
  test("descends to the part that makes the value large", () => {
    const rows = Array.from({ length: 3 }, (_, n) => ({ n, text: "x".repeat(100) }));
    expect(findLargestPart({ page: 1, answer: { rows, next: null } })).toEqual({
      pointer: "/answer/rows",
      bytes: Buffer.byteLength(JSON.stringify(rows)),
    });
    expect(findLargestPart(["a", "x".repeat(50)])).toEqual({ pointer: "/1", bytes: 52 });
  });

  test("is the whole value if no part has half of it", () => {
    expect(findLargestPart(Array.from({ length: 10 }, () => "x".repeat(50))).pointer).toBe("");
  });
});
