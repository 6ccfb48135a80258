import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../server/contract/json.ts";
import { type Draft, draftOf, draftOfJson, draftToJson, memberOf, withMember } from "./draft.ts";
import { describeFault, isFinished, offsetOf, parseDraft, placeInMessage, printDraft } from "./draft-text.ts";

const reprint = (text: string) => {
  const { draft } = parseDraft(text);
  return draft ? printDraft(draft) : null;
};
const at = (text: string) => {
  const { fault } = parseDraft(text);
  return fault && describeFault(fault);
};
const squeeze = (text: string) => text.replaceAll(/\n\s*|(?<=": )/g, "");

describe("Form and JSON", () => {
  test.each([
    "12345678901234567890",
    "1e400",
    "-0",
    "1.0",
    "1E+2",
    "0.1000000000000000055",
    '{"a": 1, "a": 2}',
    '{"b": 1, "1": 2, "a": 3}',
    '{"__proto__": {"isAdmin": true}, "constructor": 1, "prototype": null, "toString": ""}',
    String.raw`"\ud800"`,
    "[[], {}, [{}]]",
    '{"": ""}',
  ])("keep %s as written", (text) => {
    expect(
      squeeze(reprint(text) ?? "")
        .replaceAll(/([,])(?=\S)/g, "$1 ")
        .replaceAll(/: +/g, ": "),
    ).toBe(text);
  });

  test("leave out an empty number", () => {
    const draft = draftOf.object([
      ["size", draftOf.number("")],
      ["sizes", draftOf.list([draftOf.number("")])],
      ["half", draftOf.number("12x")],
    ]);
    expect(JSON.parse(printDraft(draft))).toEqual({ sizes: [null], half: "12x" });
    expect(draftToJson(draft)).toEqual({ sizes: [null], half: "12x" });
  });

  test("keep every JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, 2), (value, spaces) => {
        const text = JSON.stringify(value, null, spaces);
        const printed = reprint(text);
        expect(JSON.stringify(JSON.parse(printed ?? ""))).toBe(JSON.stringify(value));
        expect(reprint(printed ?? "")).toBe(printed);
        expect(printDraft(draftOfJson(JSON.parse(text) as Json))).toBe(
          printDraft(parseDraft(JSON.stringify(JSON.parse(text))).draft ?? { is: "null" }),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("accept the same texts as JSON.parse", () => {
    const json = fc.json({ maxDepth: 3 });
    const cut = fc
      .tuple(json, fc.nat(), fc.string({ maxLength: 2 }))
      .map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1));
    fc.assert(
      fc.property(fc.oneof(json, cut, fc.string()), (text) => {
        expect(parseDraft(text).fault === null, text).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("report the line and column of an error", () => {
    expect(at('{\n  "a": 1\n  "b": 2\n}')).toBe("Line 3, column 3: expected a comma or a closing brace.");
    expect(at("")).toBe("Line 1, column 1: the text is empty.");
    expect(at("{'a': 1}")).toBe("Line 1, column 2: expected a property name in double quotes.");
    expect(at("[1,]")).toBe("Line 1, column 4: expected a value.");
    expect(at('["👍", x]')).toBe("Line 1, column 7: expected a value.");
    expect(at("[".repeat(600))).toContain("nested deeper than 512");
  });

  test("set, keep and remove members without moving the others", () => {
    const { draft } = parseDraft('{"b": 1, "a": 2, "a": 3}');
    if (!draft) throw new Error("not parsed");
    expect(memberOf(draft, "a")?.draft).toEqual({ is: "number", text: "3" });
    expect(squeeze(printDraft(withMember(draft, "b", { is: "null" })))).toBe('{"b": null,"a": 2,"a": 3}');
    expect(squeeze(printDraft(withMember(draft, "a", undefined)))).toBe('{"b": 1,"a": 2}');
    expect(squeeze(printDraft(withMember(draft, "__proto__", { is: "null" })))).toBe(
      '{"b": 1,"a": 2,"a": 3,"__proto__": null}',
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("invisible characters of a string are escaped in its JSON, with the same value", () => {
  const json = { "a\u202eb": "\u{E0041}\u200b\ufeff👩‍👧 é" };
  expect(printDraft(draftOfJson(json))).toBe(String.raw`{
  "a\u202eb": "\udb40\udc41\u200b\ufeff👩‍👧 é"
}`);
  expect(JSON.parse(printDraft(draftOfJson(json)))).toEqual(json);
});

const placeOf = (text: string, message: string) => offsetOf(text, placeInMessage(message) ?? { line: 1, column: 1 });

test("a position in a message leads to its place, with every kind of line ending and by characters", () => {
  const text = '{\r\n  "a": 1,\n\r  "b" 2\n}';
  expect(text.slice(placeOf(text, "Line 4, column 7: expected a colon."))).toBe("2\n}");
  expect(placeOf('"🚦" x', "Line 1, column 5: there is more")).toBe(5);
  expect(placeOf("{}", "Line 9, column 1: x")).toBe(2);
  expect(placeInMessage("The body is empty. Send JSON.")).toBeNull();
});

const inside = (draft: Draft): Draft => draftOf.object([["a", { is: "list", items: [{ id: "1", draft }] }]]);

test("a draft is finished if each number is a number, and each JSON text is JSON, at every depth", () => {
  for (const text of ["1", "-0.5", "1e400"]) expect(isFinished(inside(draftOf.number(text)))).toBe(true);
  for (const text of ["", "12x", "-", "1."]) expect(isFinished(inside(draftOf.number(text)))).toBe(false);
  expect(isFinished(inside({ is: "raw", text: '{"a": [1]}' }))).toBe(true);
  expect(isFinished(inside({ is: "raw", text: "{" }))).toBe(false);
  expect(isFinished(draftOfJson({ a: ["x", null, true, 1] }))).toBe(true);
});
