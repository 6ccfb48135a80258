import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxKeyLength } from "../../../sdk/run-key.ts";
import { givenKeySchema, type RunKeyParts } from "../../contract/project/run-key.ts";
import { redacted } from "../privacy/redaction.ts";
import { keyOfRun, missingKey } from "./run-key.ts";

const field = [{ field: "/customer/id" }] satisfies RunKeyParts;
const header = [{ header: "x-account" }] satisfies RunKeyParts;
const both = [{ header: "x-account" }, { field: "/repo" }] satisfies RunKeyParts;
const keyOfId = (id: unknown) => keyOfRun(field, { payload: { customer: { id } } as never, headers: {} });

describe("the key of a run", () => {
  it("is none without the option", () => {
    expect(keyOfRun(null, { payload: {}, headers: {} })).toBeNull();
    expect(keyOfRun(undefined, { payload: {}, headers: {} })).toBeNull();
  });

  it.each([
    ["a string", "c_7", "c_7"],
    ["a string with a slash", "a/b", "a/b"],
    ["an integer", 7, "7"],
    ["a negative integer", -1, "-1"],
    ["0", 0, "0"],
  ])("of a field is %s", (_, id, key) => {
    expect(keyOfId(id)).toBe(key);
  });

  it.each([
    ["a fraction", 1.5],
    ["an integer that JavaScript rounds", 2 ** 53],
    ["an empty string", ""],
    ["null", null],
    ["true", true],
    ["an array", ["c_7"]],
    ["an object", { id: "c_7" }],
    ["absent", undefined],
  ])("is missing if the value is %s", (_, id) => {
    expect(keyOfId(id)).toBe(missingKey);
  });

  it("is missing if the payload is no object", () => {
    for (const payload of [null, 7, "text", []]) expect(keyOfRun(field, { payload, headers: {} })).toBe(missingKey);
  });

  it("of a header is its first value without spaces around it", () => {
    expect(keyOfRun(header, { payload: {}, headers: { "x-account": " 7 " } })).toBe("7");
    expect(keyOfRun(header, { payload: {}, headers: {} })).toBe(missingKey);
    expect(keyOfRun(header, { payload: {}, headers: { "x-account": " " } })).toBe(missingKey);
    expect(keyOfRun(header, { payload: {}, headers: { "x-account": redacted } })).toBe(missingKey);
  });

  it("of several values is all of them, or missing", () => {
    expect(keyOfRun(both, { payload: { repo: "r" }, headers: { "x-account": "7" } })).toBe("7/r");
    expect(keyOfRun(both, { payload: {}, headers: { "x-account": "7" } })).toBe(missingKey);
    expect(keyOfRun(both, { payload: { repo: "r" }, headers: {} })).toBe(missingKey);
  });

  it("without a request is computed from the payload, unless it needs a header", () => {
    expect(keyOfRun(field, { payload: { customer: { id: 1 } }, headers: null, otherwise: "old" })).toBe("1");
    expect(keyOfRun(both, { payload: { repo: "r" }, headers: null, otherwise: "old" })).toBe("old");
    expect(keyOfRun(both, { payload: { repo: "r" }, headers: null })).toBe(missingKey);
  });
});

const value = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 300 }),
  fc.constantFrom("/", "%", "a/b", "a%2Fb", "%2F", "\0", "\uD800", "\uFFFD", "a".repeat(200), "a".repeat(201)),
);

const keyOf = (values: readonly string[]) =>
  keyOfRun(
    values.map((_value, at) => ({ field: `/${at}` })),
    { payload: Object.fromEntries(values.entries()), headers: {} },
  ) ?? "";

it("every key is text that a caller could give, and keys are equal exactly if their values are", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }).chain((length) => {
        const values = fc.array(value, { minLength: length, maxLength: length });
        return fc.tuple(values, values);
      }),
      ([one, other]) => {
        const key = keyOf(one);
        expect(givenKeySchema.safeParse(key).success).toBe(true);
        expect(key.length).toBeLessThanOrEqual(maxKeyLength);
        expect(key.isWellFormed() && !key.includes("\0")).toBe(true);
        expect(keyOf(other) === key).toBe(JSON.stringify(one) === JSON.stringify(other));
      },
    ),
    { numRuns: 2_000 },
  );
});
