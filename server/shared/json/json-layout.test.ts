import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOutJson, nameOf, tokensOf } from "./json-layout.ts";

/** The text again, one line for each line of the layout. */
const print = (text: string) =>
  (layOutJson(text) ?? [])
    .map(({ kind, key, token, count, hasComma }) => {
      const isEmpty = count === 0 && (kind === "object" || kind === "array");
      const end = isEmpty ? (kind === "object" ? "}" : "]") : "";
      const name = key ? `${text.slice(key.start, key.end)}:` : "";
      return name + text.slice(token.start, token.end) + end + (hasComma ? "," : "");
    })
    .join("\n");
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

describe("formatted JSON", () => {
  it("contains every token of the text once, in order, unchanged", () => {
    fc.assert(fc.property(strange, (text) => void expect(tokenTexts(print(text))).toEqual(tokenTexts(text))));
  });

  it("parses to the same value as the text", () => {
    fc.assert(fc.property(fc.json(), (text) => void expect(JSON.parse(print(text))).toEqual(JSON.parse(text))));
  });

  it.each(["", "{", "[1,]", "{'a':1}", "// a\n1", "01", '"\u0001"', "1 2"])("is null for invalid JSON: %j", (text) => {
    expect(layOutJson(text)).toBeNull();
  });

  it("ignores a byte order mark", () => {
    expect(print("\uFEFF[1]")).toBe("[\n1\n]");
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

it("the name of a member has no quotes and no escapes", () => {
  const text = String.raw`{"a\u00e9":[1]}`;
  expect((layOutJson(text) ?? []).map((line) => nameOf(text, line))).toEqual([null, "aé", null, null, null]);
});
