import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markData, renderResult } from "./marked-data.ts";
import { hostileTexts } from "./testing/hostile-texts.ts";
import { readMarked } from "./testing/read-marked.ts";

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostileTexts));

describe("marked data", () => {
  it("of every kind is between tags that it cannot close, as JSON that has the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), anyText, fc.array(anyText), (json, key, texts) => {
        const data = { json, [key]: texts };
        const { outside, data: read } = readMarked(markData(data).text);
        expect(outside).toBe("");
        expect(read).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });

  it("has no angle bracket, no ampersand and no invisible character inside of its tags", () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        const [, inside = ""] = markData(texts).text.split("\n");
        expect(inside).not.toMatch(/[<>&\p{Cc}\p{Cs}\u200B\u202A-\u202E\u2028\u2029\uFEFF\u{E0000}-\u{E007F}]/u);
      }),
    );
  });

  it("has other tags in each result", () => {
    const tags = Array.from({ length: 50 }, () => markData("a").text.split("\n")[0]);
    expect(new Set(tags).size).toBe(tags.length);
  });

  it("that is long is shortened until it fits, and the result says so", () => {
    const long = {
      body: {
        json: { text: "x".repeat(300_000), list: Array.from({ length: 5_000 }, () => ({ a: "<".repeat(500) })) },
      },
    };
    const text = renderResult({ facts: ["1 delivery found."], data: long });
    expect(text.length).toBeLessThan(300_000);
    expect(text).toMatch(/^1 delivery found\. Long values are shortened/);
    expect(readMarked(text).data).toMatchObject({
      body: { json: { text: expect.stringMatching(/^x+… \([\d,]+ characters left out\)$/) } },
    });
    const wide = Object.fromEntries(
      Array.from({ length: 40_000 }, (_, at) => ["k".repeat(20_000) + at, 1]).slice(0, 5),
    );
    expect(readMarked(renderResult({ facts: [], data: wide })).data).toEqual({
      leftOut: expect.stringMatching(/^[\d,]+ characters$/),
    });
  });
});
