import { describe, expect, test } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { findNotationIssues } from "../draft/notation-issues.ts";
import { parseDraft } from "../draft/draft-text.ts";
import { type Draft, draftOf } from "../draft/draft.ts";
import { checkDraft } from "./check-draft.ts";

const read = (text: string): Draft => parseDraft(text).draft ?? { is: "null" };
const say = (schema: z.ZodType, draft: Draft) => {
  const exported = exportSchema(schema);
  return checkDraft(exported, exported, draft).map(({ pointer, message }) => `${message}. ${pointer}`);
};

const chosen = (text: string): Draft => ({ ...draftOf.number(text), choice: { option: 0, kept: {} } });

describe("a form says", () => {
  test.each<[string, z.ZodType, string, string[]]>([
    ["a missing field", z.object({ a: z.string() }), "{}", ["Required. /a"]],
    ["a bound", z.object({ amount: z.int().min(0) }), '{"amount": -5}', ["Must be 0 or more. /amount"]],
    ["an exclusive bound", z.number().positive(), "0", ["Must be more than 0. "]],
    ["a format", z.email(), '"ada"', ["Must be an email address. "]],
    ["a URL", z.url(), '"ada"', ["Must be a URL. "]],
    ["a date", z.iso.date(), '"1.2.2026"', ["Must be a date, e.g. 2026-01-31. "]],
    [
      "how a text starts and ends",
      z.string().startsWith("ord_").endsWith("!"),
      '"x"',
      ['Must start with "ord_". ', 'Must end with "!". '],
    ],
    ["what a text contains", z.string().includes("a.b"), '"x"', ['Must contain "a.b". ']],
    ["a pattern", z.string().regex(/^[a-z]+$/), '"1"', ["Must match ^[a-z]+$. "]],
    ["an empty text", z.string().min(1), '""', ["Must not be empty. "]],
    ["a length", z.string().max(2), '"abc"', ["Must have at most 2 characters. "]],
    ["one of several", z.enum(["eur", "usd"]), '"gbp"', ["Must be one of eur, usd. "]],
    ["a kind", z.object({ a: z.number() }), '{"a": "1"}', ["Must be a number. /a"]],
    ["several kinds", z.union([z.string(), z.number()]), "true", ["Must be a string or a number. "]],
    [
      "what the meant alternative lacks",
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), n: z.number() }),
        z.object({ type: z.literal("b") }),
      ]),
      '{"type": "a"}',
      ["Required. /n"],
    ],
    [
      "what none of the alternatives is",
      z.discriminatedUnion("type", [z.object({ type: z.literal("a") }), z.object({ type: z.literal("b") })]),
      '{"type": "c"}',
      ["Must be a or b. /type"],
    ],
    ["a field too many", z.strictObject({}), '{"a/b": 1}', ["Unknown field. /a~1b"]],
    ["a name", z.record(z.string().min(2), z.string()), '{"a": "x"}', ['Key "a": must have at least 2 characters. /a']],
    ["a list", z.array(z.string()).min(2), '["a"]', ["Must have at least 2 items. "]],
    ["a place of a tuple", z.tuple([z.string(), z.number()]), '["a", "b"]', ["Must be a number. /1"]],
    ["a number that no double is", z.number(), "1e400", ["Must be a finite number. "]],
    [
      "an integer that is not exact",
      z.int(),
      "12345678901234567890",
      ["Must be between -9007199254740991 and 9007199254740991 to be exact. "],
    ],
  ])("%s", (_, schema, text, expected) => {
    expect(say(schema, read(text))).toEqual(expected);
  });

  test("the position of incomplete JSON", () => {
    expect(say(z.object({ n: z.number() }), draftOf.object([["n", draftOf.number("12x")]]))).toEqual([
      "Must be a number. /n",
    ]);
    expect(say(z.object({ any: z.unknown() }), draftOf.object([["any", { is: "raw", text: "{\n1}" }]]))).toEqual([
      "Line 2, column 1: expected a property name in double quotes. /any",
    ]);
    expect(say(z.object({ any: z.number() }), draftOf.object([["any", { is: "raw", text: ' "x"' }]]))).toEqual([
      "Must be a number. /any",
    ]);
  });

  test("that a number is missing if the number alternative was chosen", () => {
    const size = z.union([z.int(), z.string()]);
    expect(say(z.object({ size }), draftOf.object([["size", chosen("")]]))).toEqual(["Must be an integer. /size"]);
    expect(say(z.object({ size }), draftOf.object([["size", chosen("12x")]]))).toEqual(["Must be an integer. /size"]);
    expect(say(z.object({ size }), draftOf.object([["size", chosen("12")]]))).toEqual([]);
    expect(say(size, draftOf.number(""))).toEqual(["Must be an integer or a string. "]);
    expect(
      say(z.array(z.union([z.number().nullable(), z.enum(["auto"])])), draftOf.list([draftOf.number("")])),
    ).toEqual(["Must be a number or null or one of auto. /0"]);
    expect(say(z.unknown(), draftOf.number(""))).toEqual(["Must be a number. "]);
  });

  test("nothing about characters that Zod counts as two", () => {
    expect(say(z.string().regex(/^.{2}$/), read('"👍"'))).toEqual([]);
    expect(say(z.string().regex(/^.{2}$/), read('"abc"'))).toEqual(["Must match ^.{2}$. "]);
    expect(say(z.string().regex(new RegExp(String.raw`^\_$`)), read('"x"'))).toEqual([]);
  });

  test("nothing about strings that the server trims first", () => {
    expect(say(z.string().trim().pipe(z.email()), read('" ada@example.com "'))).toEqual([]);
    expect(
      say(
        z
          .string()
          .toLowerCase()
          .pipe(z.enum(["a"])),
        read('"A"'),
      ),
    ).toEqual([]);
  });
});

describe("values that parsers read differently", () => {
  test("are reported: numbers without an exact double, and repeated keys", () => {
    expect(
      findNotationIssues(read('{"a": 12345678901234567890, "b": [1e400], "c": 1, "c": 2}')).map(
        ({ pointer, message }) => `${pointer} ${message}`,
      ),
    ).toEqual([
      "/a 12345678901234567890 is sent as written and parsed as 12345678901234567000",
      "/b/0 1e400 is sent as written and parsed as Infinity",
      "/c appears more than once: all are sent, and the last one counts",
    ]);
  });

  test('are strings if the trigger has bigints: "string"', () => {
    expect(findNotationIssues(read('{"a": 9007199254740993, "b": [1e400], "c": 1}'), "string")).toEqual([
      { pointer: "/a", message: "9007199254740993 is sent as written and parsed as a string" },
      { pointer: "/b/0", message: "1e400 is sent as written and parsed as a string" },
    ]);
  });

  test("are not reported for another notation of the same value", () => {
    expect(
      findNotationIssues(read("[1.0, 1E+2, -0, 0.1, 1e21, 0.0000001, 100, 12.50, 5e-324, 1.7976931348623157e308]")),
    ).toEqual([]);
  });
});
