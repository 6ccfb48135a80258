import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOutJson, prettyText, shownLines, tokensOf, unfoldAround } from "./json-layout.ts";

const nestedLines = layOutJson('{"a":[[1],2],"b":3}') ?? [];

it("a folded value shows only its first line", () => {
  expect(shownLines(nestedLines, new Set())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(shownLines(nestedLines, new Set([1, 2]))).toEqual([0, 1, 7, 8]);
  expect(shownLines(nestedLines, new Set([0]))).toEqual([0]);
});

it("showing a line unfolds only its ancestors", () => {
  expect(unfoldAround(nestedLines, new Set([0, 1, 2]), 2)).toEqual(new Set([2]));
  const folded = new Set([1]);
  expect(unfoldAround(nestedLines, folded, 7)).toBe(folded);
});

const pretty = (text: string) => {
  const lines = layOutJson(text);
  return lines && prettyText(text, lines);
};
const tokenTexts = (text: string) => Array.from(tokensOf(text), ({ start, end }) => text.slice(start, end));

/** Unusual JSON: any whitespace, repeated keys, numbers and escapes that parsers do not preserve. */
const strange: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "1.0",
      "1e400",
      "-0",
      "12345678901234567890",
      "0.1E-7",
      "true",
      "false",
      "null",
      String.raw`"é\/\"\ud800"`,
      '""',
      "{}",
      "[ ]",
    ),
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[ ${items.join("\n,")}]`),
    fc
      .array(fc.tuple(fc.constantFrom('"a"', '"b"', String.raw`"a"`, '""'), tie("value")), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${name} :\t${value}`).join(",\r\n ")} }`),
  ),
})).value;

describe("the formatted view", () => {
  it("contains every token of the text once, in order, unchanged", () => {
    fc.assert(fc.property(strange, (text) => void expect(tokenTexts(pretty(text) ?? "")).toEqual(tokenTexts(text))));
  });

  it("parses to the same value as the text", () => {
    fc.assert(fc.property(fc.json(), (text) => void expect(JSON.parse(pretty(text) ?? "")).toEqual(JSON.parse(text))));
  });

  it("has the usual indentation", () => {
    expect(pretty('{"id":1.0,"a":[],"b":[1,{"c":{}}],"id":1e400}')).toBe(
      '{\n  "id": 1.0,\n  "a": [],\n  "b": [\n    1,\n    {\n      "c": {}\n    }\n  ],\n  "id": 1e400\n}',
    );
  });

  it.each(["", "{", "[1,]", "{'a':1}", "// a\n1", "01", '"\u0001"', "1 2"])("is null for invalid JSON: %j", (text) => {
    expect(layOutJson(text)).toBeNull();
  });

  it("ignores a byte order mark", () => {
    expect(pretty("\uFEFF[1]")).toBe("[\n  1\n]");
  });

  it("handles a hundred thousand levels of nesting", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(layOutJson(deep)).toHaveLength(2 * 100_000 - 1);
  });
});

it("lines have the end, the parent and the child count of their value", () => {
  const lines = layOutJson('{"a":[1,2],"b":3}') ?? [];
  expect(lines.map(({ kind, depth, parent, last, count }) => [kind, depth, parent, last, count])).toEqual([
    ["object", 0, -1, 6, 2],
    ["array", 1, 0, 4, 2],
    ["number", 2, 1, 2, 0],
    ["number", 2, 1, 3, 0],
    ["end", 1, 1, 4, 0],
    ["number", 1, 0, 5, 0],
    ["end", 0, 0, 6, 0],
  ]);
});
