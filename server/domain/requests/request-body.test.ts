import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import { findJsonError } from "../../shared/json/find-json-error.ts";
import { createBodyBudget, createBodyBuffer, parseJsonBody } from "./request-body.ts";

const mib = 1024 * 1024;
const overloaded = expect.objectContaining({ code: "overloaded" });

it("one owner has half of the memory, all owners share the rest, and freed memory can be used again", () => {
  const budget = createBodyBudget(mib);
  const [ada, eve, bob] = ["ada", "eve", "bob"].map((owner) => budget.open(owner));
  ada?.take(64 * mib);
  expect(() => budget.open("ada").take(1)).toThrow(overloaded);
  eve?.take(63 * mib);
  bob?.take(mib);
  expect(() => bob?.take(1)).toThrow(overloaded);
  ada?.free();
  bob?.take(63 * mib);
  expect(() => budget.open("ada").take(mib + 1)).toThrow(overloaded);
  for (const memory of [ada, eve, bob]) memory?.free();
  budget.open("ada").take(64 * mib);
  budget.open("eve").take(64 * mib);
});

it("a service with large bodies has room for four of one owner at once", () => {
  const budget = createBodyBudget(100 * mib);
  for (let n = 0; n < 4; n += 1) budget.open("ada").take(100 * mib);
  expect(() => budget.open("ada").take(1)).toThrow(overloaded);
});

it("every body equals the bytes of its chunks and takes at most twice their memory, for chunks of any size", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 100 }), (chunks) => {
      let taken = 0;
      const body = createBodyBuffer({ take: (bytes) => (taken += bytes), free() {} });
      for (const chunk of chunks) body.add(chunk);
      const whole = Buffer.concat(chunks);
      expect(body.bytes().equals(whole)).toBe(true);
      expect(taken).toBeGreaterThanOrEqual(whole.length);
      expect(taken).toBeLessThanOrEqual(2 * whole.length);
    }),
  );
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (body: string | Uint8Array) => parseJsonBody(typeof body === "string" ? bytesOf(body) : body).json;

function detailOf(body: string | Uint8Array): string {
  try {
    parse(body);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_json") return error.message;
    throw error;
  }
  throw new Error("It was taken as JSON");
}

describe("parseJsonBody", () => {
  test("takes any JSON value, with or without byte order mark; of equal keys the last wins", () => {
    expect(parse(' {"a":1,"a":[true,null,"é"]}\n')).toEqual({ a: [true, null, "é"] });
    expect(parse("\uFEFF7")).toBe(7);
    expect(parse("null")).toBeNull();
  });

  test.each([
    ["", "The body is empty. Send JSON."],
    [" \r\n", "The body is empty. Send JSON."],
    ["\uFEFF", "The body is empty. Send JSON."],
    ["{", "Line 1, column 2: unexpected end: expected a property name in double quotes."],
    ['{"a":1,\n "b" 2}', "Line 2, column 6: expected a colon."],
    ['{"a":1\r\n"b":2}', "Line 2, column 1: expected a comma or a closing brace."],
    ['["é😀", x]', "Line 1, column 8: expected a value."],
    ["[1,]", "Line 1, column 4: expected a value."],
    ['{"a":1,}', "Line 1, column 8: expected a property name in double quotes."],
    ["{'a':1}", "Line 1, column 2: expected a property name in double quotes."],
    ["['a']", "Line 1, column 2: strings need double quotes."],
    ['{"a":"b', "Line 1, column 6: unterminated string."],
    ['"a\tb"', "Line 1, column 3: unescaped control character in a string."],
    ['"\\x"', "Line 1, column 2: invalid escape sequence."],
    ["01", "Line 1, column 2: unexpected text after the end of the JSON."],
    ["{} {}", "Line 1, column 4: unexpected text after the end of the JSON."],
    ["name=Ada", "Line 1, column 1: expected a value."],
  ])("reports where and why %j stops being JSON", (body, detail) => {
    expect(detailOf(body)).toBe(detail);
  });

  test.each([
    ["a byte that never occurs", [0x22, 0x61, 0xff, 0x22], "Line 1, column 3"],
    ["a sequence that ends early", [0x5b, 0x0a, 0x22, 0xe2, 0x82, 0x22, 0x5d], "Line 2, column 2"],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22], "Line 1, column 2"],
    ["half of a surrogate pair", [0x22, 0xed, 0xa0, 0x80, 0x22], "Line 1, column 2"],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00], "Line 1, column 1"],
  ])("reports where %s is", (_, bytes, where) => {
    expect(detailOf(Uint8Array.from(bytes))).toBe(`${where}: invalid UTF-8.`);
  });

  test("accepts 512 levels and rejects 513, without counting brackets in strings, and does not overflow at a million", () => {
    expect(() => parse(nested(512))).not.toThrow();
    expect(detailOf(`[${nested(512)}]`)).toBe("Line 1, column 2298: the body is nested deeper than 512 levels.");
    expect(detailOf("[".repeat(1_000_000))).toBe("Line 1, column 513: the body is nested deeper than 512 levels.");
  });

  test("finds the end of a megabyte of string", () => {
    expect(detailOf(`"${"a\\n".repeat(350_000)}`)).toBe("Line 1, column 1: unterminated string.");
    expect(detailOf(`"${"a".repeat(1_000_000)}" x`)).toBe(
      "Line 1, column 1000004: unexpected text after the end of the JSON.",
    );
  });

  test("never repeats what was sent", () => {
    expect(detailOf('{"a": sbk_secret}')).not.toContain("sbk");
  });
});

describe("findJsonError", () => {
  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat(3),
      fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n\t01.e-tu'.split("")), maxLength: 3 }),
    )
    .map(
      ([text, at, length, insert]) =>
        text.slice(0, at % (text.length + 1)) + insert + text.slice((at % (text.length + 1)) + length),
    );

  test("finds an error in every string that JSON.parse rejects, and in no other", () => {
    const seen = { valid: 0, broken: 0 };
    fc.assert(
      fc.property(broken, (text) => {
        const isValid = isJson(text);
        seen[isValid ? "valid" : "broken"]++;
        const fault = findJsonError(text);
        expect(fault === null).toBe(isValid);
        expect(fault?.offset ?? 0).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(seen.valid, seen.broken)).toBeGreaterThan(300);
  });
});

const nested = (depth: number) => `${'[{"[\\"{":'.repeat(depth / 2)}1${"}]".repeat(depth / 2)}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
