import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { givenQuerySchema } from "../../contract/delivery.ts";
import { cleanQuery, printQuery, splitQuery } from "./query-text.ts";

const valuesIn = (query: string) => splitQuery(query).map(({ name, value }) => [name, value]);

describe("a query", () => {
  it("has every parameter that was printed, in every text", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 6 }).filter((each) => each.isWellFormed());
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 4 }), (pairs) => {
        const named = Map.groupBy(pairs, ([name]) => name);
        const printed = printQuery(
          Object.fromEntries([...named].map(([name, found]) => [name, found.map(([, value]) => value)])),
        );
        expect(valuesIn(printed).toSorted()).toEqual(pairs.toSorted());
        expect(givenQuerySchema.safeParse(printed).success).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("is decoded as forms are, and text whose bytes are not UTF-8 stays as sent", () => {
    const unit = fc.constantFrom("a", "+", "%", "%20", "%C3%A9", "%FF", "%e4%", "%zz", "%2B", "%00", "%F0%9F%98%80");
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1 }), (value) => {
        const decoded = new URLSearchParams(`=${value}`).get("") ?? "";
        expect(valuesIn(`x=${value}`)).toEqual([["x", decoded.includes("\uFFFD") ? value : decoded]]);
      }),
    );
  });

  it("that a person typed is one that a URL can have", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (typed) => {
        expect(givenQuerySchema.safeParse(cleanQuery(typed)).success).toBe(true);
      }),
    );
    expect(cleanQuery("?shop=São Paulo#1&topic=a%20b+c")).toBe("shop=S%C3%A3o%20Paulo%231&topic=a%20b+c");
  });
});
