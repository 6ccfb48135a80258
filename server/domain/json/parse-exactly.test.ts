import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import { parseExactly } from "./parse-exactly.ts";

/** What happened to a number: its value as the store writes it, the listed paths, or the message of the error. */
function parsed(text: string, bigints: "number" | "string" = "number"): unknown[] | string {
  try {
    const { json, rounded } = parseExactly(text, bigints);
    return [JSON.stringify(json), ...rounded];
  } catch (error) {
    if (error instanceof AppError)
      return `${error.code}${error.errors.map(({ pointer }) => ` at ${pointer}`).join("")}: ${error.message}`;
    throw error;
  }
}

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength });

describe("a number of JSON", () => {
  test.each([
    // Kept.
    ["0", ["0"], ["0"]],
    ["0.1", ["0.1"], ["0.1"]],
    ["1.50", ["1.5"], ["1.5"]],
    ["1E+2", ["100"], ["100"]],
    ["-0.25560000000000005", ["-0.25560000000000005"], ["-0.25560000000000005"]],
    ["5e-324", ["5e-324"], ["5e-324"]],
    ["1.7976931348623157e308", ["1.7976931348623157e+308"], ["1.7976931348623157e+308"]],
    ["1e23", ["1e+23"], ["1e+23"]],
    ["1.5e30", ["1.5e+30"], ["1.5e+30"]],
    ["0e400", ["0"], ["0"]],
    ["9007199254740991", ["9007199254740991"], ["9007199254740991"]],
    ["-9007199254740991.0", ["-9007199254740991"], ["-9007199254740991"]],
    ["12345678901234500000e-5", ["123456789012345"], ["123456789012345"]],
    // Every integer beyond 2⁵³ is a string, so that a field does not change its type between 2⁵³ and 2⁵³ + 1.
    ["9007199254740992", ["9007199254740992"], ['"9007199254740992"']],
    // Rounded.
    ["9007199254740993", ["9007199254740992", ""], ['"9007199254740993"']],
    ["9007199254740993.0", ["9007199254740992", ""], ['"9007199254740993.0"']],
    ["1.2345678901234567890e19", ["12345678901234567000", ""], ['"1.2345678901234567890e19"']],
    ["1152921504606846976", ["1152921504606847000", ""], ['"1152921504606846976"']],
    ["100000000000000000000000", ["1e+23", ""], ['"100000000000000000000000"']],
    ["0.10000000000000001", ["0.1", ""], ['"0.10000000000000001"']],
    ["10000000000000000.5", ["10000000000000000", ""], ['"10000000000000000.5"']],
    ["1e-400", ["0", ""], ['"1e-400"']],
    ["-1e-400", ["0", ""], ['"-1e-400"']],
    ["3e-324", ["5e-324", ""], ['"3e-324"']],
    ["-0", ["0", ""], ["0", ""]],
    ["-0.00", ["0", ""], ["0", ""]],
    ["-0e9", ["0", ""], ["0", ""]],
  ])("%s is kept, or listed, or a string", (literal, byDefault, asString) => {
    expect(parsed(literal)).toEqual(byDefault);
    expect(parsed(literal, "string")).toEqual(asString);
  });

  test.each(["1e400", "-1e400", `1${"0".repeat(400)}`, "1.8e308", "9e99999999999999999999", "1e0000309"])(
    "%s is too large, and the error has its path; as a string, it is kept",
    (literal) => {
      expect(parsed(`{"a/b":[0,${literal}],"c":1e500}`)).toBe(
        'invalid_body at /a~1b/1: The body has a number that is too large: the largest number of JavaScript is 1.8e308. Have the sender send it as a string, or set `bigints: "string"` in the trigger.',
      );
      expect(parsed(literal)).toMatch(/^invalid_body at : The body has a number that is too large/);
      expect(parsed(`[${literal}]`, "string")).toEqual([`["${literal}"]`]);
    },
  );

  test("is found wherever it is, and digits in strings and names are not numbers", () => {
    const text =
      '{"9007199254740993":"9007199254740993","list":[1, -12345678901234567890\t],"text":":9007199254740993,-0","__proto__":9007199254740993,"12":{"-0":-0}}';
    expect(parseExactly(text, "number").rounded).toEqual(["/12/-0", "/list/1", "/__proto__"]);
    expect(parsed(text, "string")).toEqual([
      '{"12":{"-0":0},"9007199254740993":"9007199254740993","list":[1,"-12345678901234567890"],"text":":9007199254740993,-0","__proto__":"9007199254740993"}',
      "/12/-0",
    ]);
  });

  test("is one of at most 20 that are listed", () => {
    const text = `[${Array.from({ length: 30 }, () => "9007199254740993").join()}]`;
    expect(parseExactly(text, "number").rounded).toHaveLength(20);
  });

  const literals = fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.oneof(fc.constant("0"), digits(25), fc.maxSafeNat().map(String)),
      fc.option(digits(25), { nil: undefined }),
      fc.option(fc.tuple(fc.constantFrom("e", "E"), fc.constantFrom("", "+", "-"), fc.oneof(digits(3), digits(1))), {
        nil: undefined,
      }),
    )
    .map(
      ([sign, whole, fraction, exponent]) =>
        sign + whole.replace(/^0+(?=\d)/, "") + (fraction ? `.${fraction}` : "") + (exponent ?? []).join(""),
    );
  const spaces = fc.string({ unit: fc.constantFrom(" ", "\n", "\t"), maxLength: 2 });

  test("of every notation is kept, or its path is listed, or it is an error; or else it is a string of its notation", () => {
    const seen = { kept: 0, listed: 0, error: 0 };
    fc.assert(
      fc.property(literals, fc.json(), spaces, (literal, json, space) => {
        const text = `{"json":${json},"n":[${space}${literal}${space}]}`;
        const asString = parseExactly(text, "string").json as { n: [number | string] };
        expect(isSame(String(asString.n[0]), literal)).toBe(true);
        const end = endOf(literal);
        seen[end]++;
        const found = parsed(text);
        const message = typeof found === "string" && /^invalid_body at \/n\/0/.exec(found)?.[0];
        const { n, json: others } = JSON.parse(text) as { n: [number]; json: Json };
        expect(message || found).toEqual(
          end === "error"
            ? "invalid_body at /n/0"
            : [JSON.stringify({ json: others, n }), ...listed(json, "/json"), ...(end === "listed" ? ["/n/0"] : [])],
        );
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.kept, seen.listed, seen.error)).toBeGreaterThan(20);
  });
});

/** The listed paths of other JSON: it has a `-0` at times. */
function listed(json: string, prefix: string): string[] {
  return parseExactly(json, "number").rounded.map((pointer) => prefix + pointer);
}

/** Of 10²³ in digits, the notation is kept, and the integer is not. */
function endOf(literal: string): "kept" | "listed" | "error" {
  const value = Number(literal);
  if (!Number.isFinite(value)) return "error";
  if (/^-?\d+$/.test(literal) && BigInt(value) !== BigInt(literal)) return "listed";
  return isSame(JSON.stringify(value), literal) && !/^-[0.]+(?:e|$)/i.test(literal) ? "kept" : "listed";
}

/** Whether two notations have the same decimal value, by exact arithmetic. */
function isSame(one: string, two: string): boolean {
  const [a, b] = [exactOf(one), exactOf(two)];
  const scale = BigInt(Math.max(a.exponent, b.exponent) - Math.min(a.exponent, b.exponent));
  return a.exponent > b.exponent ? a.digits * 10n ** scale === b.digits : a.digits === b.digits * 10n ** scale;
}

function exactOf(text: string): { digits: bigint; exponent: number } {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
