import type { Json } from "../../contract/json.ts";
import { nameFormat } from "../../shared/schema/formats.ts";
import { shortJson } from "../../shared/json/short-json.ts";
import type { AnyIssue } from "../../ports/project.ts";

/**
 * The expected value in words: `"≥ 10000"`, `"one of eur, usd"`, `"an email address"`. Accepts issues of Zod 4 and
 * Zod 3.
 */
export function describeExpected(issue: AnyIssue): string | null {
  switch (issue.code) {
    case "invalid_type":
      return describeType(String(issue["expected"]));
    case "invalid_value":
      return oneOf(listOf(issue["values"]));
    case "invalid_literal":
      return oneOf([issue["expected"]]);
    case "invalid_enum_value":
    case "invalid_union_discriminator":
      return oneOf(listOf(issue["options"]));
    case "too_small":
      return describeBound(issue, issue["minimum"], issue["inclusive"] === false ? lower.exclusive : lower.inclusive);
    case "too_big":
      return describeBound(issue, issue["maximum"], issue["inclusive"] === false ? upper.exclusive : upper.inclusive);
    case "invalid_format":
      return describeFormat(String(issue["format"]), issue);
    case "invalid_string":
      return describeValidation(issue["validation"]);
    case "not_multiple_of":
      return `a multiple of ${String(issue["divisor"] ?? issue["multipleOf"])}`;
    case "not_finite":
      return "a finite number";
    case "unrecognized_keys":
      return "only keys that the schema names";
    case "invalid_union":
      return describeUnion(issue);
    default:
      return null;
  }
}

/** `"invoice.paid"` for one value, `one of eur, usd` for several. */
export function oneOf(values: readonly unknown[]): string | null {
  if (values.length === 0) return null;
  if (values.length === 1) return literal(values[0]);
  // Words without quotes are easier to read; values with spaces or commas need quotes.
  const areWords = values.every((value) => typeof value === "string" && /^[^\s,"]+$/.test(value));
  const shown = values.slice(0, 12).map((value) => (areWords ? String(value) : literal(value)));
  return `one of ${shown.join(", ")}${values.length > shown.length ? ", …" : ""}`;
}

function literal(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  return shortJson(value as Json, 60);
}

const types: Record<string, string> = {
  string: "a string",
  number: "a number",
  float: "a number",
  int: "an integer",
  integer: "an integer",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
  tuple: "an array",
  null: "null",
  undefined: "nothing",
  never: "nothing",
  nonoptional: "a value",
};

function describeType(expected: string): string {
  // Zod 3 names the options of an enum here when the value is missing: 'eur' | 'usd'.
  if (/^'.*'$/s.test(expected)) return oneOf(expected.slice(1, -1).split("' | '")) ?? expected;
  return types[expected] ?? `a ${expected}`;
}

interface BoundWords {
  number: string;
  length: string;
}

const lower: { inclusive: BoundWords; exclusive: BoundWords } = {
  inclusive: { number: "≥", length: "at least" },
  exclusive: { number: ">", length: "more than" },
};
const upper: { inclusive: BoundWords; exclusive: BoundWords } = {
  inclusive: { number: "≤", length: "at most" },
  exclusive: { number: "<", length: "fewer than" },
};
const units: Record<string, string> = {
  string: "character",
  array: "item",
  set: "item",
  object: "key",
  record: "key",
  map: "entry",
};

function describeBound(issue: AnyIssue, bound: unknown, words: BoundWords): string {
  // Zod 4 has `origin`, Zod 3 has `type`.
  const unit = units[String(issue["origin"] ?? issue["type"])];
  if (unit === undefined) return `${issue["exact"] === true ? "=" : words.number} ${String(bound)}`;
  const plural = unit === "entry" ? "entries" : `${unit}s`;
  return `${issue["exact"] === true ? "exactly" : words.length} ${String(bound)} ${Number(bound) === 1 ? unit : plural}`;
}

/** Error messages can be longer than labels: these formats also say how to write the value. */
const exactFormats: Record<string, string> = {
  email: "an email address",
  datetime: "an ISO 8601 date and time",
  date: "a date (YYYY-MM-DD)",
  time: "a time (hh:mm:ss)",
  duration: "an ISO 8601 duration",
  ip: "an IP address",
  cidr: "an IP range",
  e164: "a phone number (E.164)",
};

function describeFormat(format: string, issue: AnyIssue): string {
  if (format === "regex") return `a string that matches ${String(issue["pattern"])}`;
  if (format === "starts_with") return `a string that starts with ${literal(issue["prefix"])}`;
  if (format === "ends_with") return `a string that ends with ${literal(issue["suffix"])}`;
  if (format === "includes") return `a string that contains ${literal(issue["includes"])}`;
  return (
    (Object.hasOwn(exactFormats, format) ? exactFormats[format] : nameFormat(format)) ??
    `a string in the format ${format}`
  );
}

/** Zod 3: a name, or an object such as `{ startsWith: "a" }`. */
function describeValidation(validation: unknown): string {
  if (typeof validation === "string")
    return validation === "regex"
      ? "a string that matches the pattern"
      : describeFormat(validation, { code: "", path: [], message: "" });
  const { startsWith, endsWith, includes } = (validation ?? {}) as {
    startsWith?: unknown;
    endsWith?: unknown;
    includes?: unknown;
  };
  if (startsWith !== undefined) return `a string that starts with ${literal(startsWith)}`;
  if (endsWith !== undefined) return `a string that ends with ${literal(endsWith)}`;
  return `a string that contains ${literal(includes)}`;
}

/**
 * A union whose alternatives were not evaluated: the discriminator matches none of them, or more than one alternative
 * of an exclusive union matches.
 */
function describeUnion(issue: AnyIssue): string | null {
  if (issue["inclusive"] === false) return "exactly one of the alternatives";
  return oneOf(listOf(issue["options"]));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
