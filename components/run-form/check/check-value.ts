import { type Schema, Validator } from "@cfworker/json-schema";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { formatCount } from "../../../server/shared/format.ts";
import { nameFormat, readPattern } from "../../../server/shared/schema/formats.ts";
import { listOf } from "../../../server/shared/schema/json-schema.ts";

/** A validation issue of a draft at a JSON pointer. */
export interface Issue {
  pointer: string;
  code: string;
  message: string;
}

/** One validation issue of a value, not of its children. */
export interface Finding {
  code: string;
  message: string;
}

/** The issues of a value from the schema's own keywords, without its children. */
export function checkValue(schema: JsonSchemaObject, value: Json): Finding[] {
  const violated = [...violatedKeywords(schema, value), ...violatedInZod(schema, value)];
  // A wrong type makes the other issues irrelevant.
  const reported = violated.includes("type") ? ["type"] : violated;
  return reported.map((code) => ({ code, message: messageOf(code, schema) }));
}

/** Keywords about children, annotations, and keywords with special rules in Zod. */
const keywordsCheckedElsewhere = new Set([
  "$schema",
  "$id",
  "$ref",
  "$defs",
  "definitions",
  "$comment",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "items",
  "prefixItems",
  "default",
  "examples",
  "title",
  "description",
  "format",
  "pattern",
  "multipleOf",
]);

const validators = new WeakMap<JsonSchemaObject, Validator>();

function violatedKeywords(schema: JsonSchemaObject, value: Json): string[] {
  const known = validators.get(schema);
  // A copy, because the validator modifies its schema. It is an interpreter and needs no eval.
  const read = () =>
    new Validator(
      structuredClone(
        Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywordsCheckedElsewhere.has(keyword))),
      ) as Schema,
      "2020-12",
      false,
    );
  const validator = known ?? read();
  if (!known) validators.set(schema, validator);
  return validator.validate(value).errors.map(({ keyword }) => keyword);
}

function violatedInZod(schema: JsonSchemaObject, value: Json): string[] {
  if (typeof value === "string") return violatedByText(schema, value);
  return typeof value === "number" ? violatedByNumber(schema, value) : [];
}

/** Zod accepts the URLs that the platform can parse. Its other formats are exported with their pattern. */
function violatedByText({ format, pattern }: JsonSchemaObject, text: string): string[] {
  const isNoUrl = format === "uri" && pattern === undefined && !URL.canParse(text.trim());
  return [
    ...(isNoUrl ? ["format"] : []),
    ...(typeof pattern === "string" && !matchesPattern(pattern, text) ? ["pattern"] : []),
  ];
}

/**
 * The export does not have the flag `u`, so a pattern is read with it. Without it, an expression counts half
 * characters: such a text is left to the server. So is a pattern that is valid only without the flag.
 */
function matchesPattern(pattern: string, text: string): boolean {
  try {
    if (new RegExp(pattern, "u").test(text)) return true;
    return /[\u{10000}-\u{10ffff}]/u.test(text) && new RegExp(pattern).test(text);
  } catch {
    return true;
  }
}

/** Zod accepts finite numbers, safe integers, and multiples within the precision of a double. */
function violatedByNumber({ type, multipleOf }: JsonSchemaObject, value: number): string[] {
  if (!Number.isFinite(value)) return ["finite"];
  const types = Array.isArray(type) ? type : [type];
  const isInexact =
    types.includes("integer") && !types.includes("number") && Number.isInteger(value) && !Number.isSafeInteger(value);
  const isOff = typeof multipleOf === "number" && !isMultiple(value, multipleOf);
  return [...(isInexact ? ["safe"] : []), ...(isOff ? ["multipleOf"] : [])];
}

function isMultiple(value: number, step: number): boolean {
  const ratio = value / step;
  return Math.abs(ratio - Math.round(ratio)) < 4 * Number.EPSILON * Math.max(Math.abs(ratio), 1);
}

const kinds: Record<string, string> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  null: "null",
  array: "an array",
  object: "an object",
};

/** Formats whose notation a person may not know. */
const formats: Record<string, string> = {
  email: "an email address",
  "date-time": "a date and time, e.g. 2026-01-31T12:00:00Z",
  date: "a date, e.g. 2026-01-31",
  time: "a time, e.g. 12:00:00",
  duration: "an ISO 8601 duration, e.g. PT15M",
};

/** The message for a violated keyword of a schema. */
export function messageOf(keyword: string, schema: JsonSchemaObject): string {
  const bound = schema[keyword];
  switch (keyword) {
    case "type":
      return `Must be ${(Array.isArray(bound) ? bound : [bound]).map((type) => kinds[String(type)] ?? String(type)).join(" or ")}`;
    case "const":
      return `Must be ${nameValue(bound)}`;
    case "enum":
      return oneOf(listOf(bound));
    case "minimum":
      return `Must be ${String(bound)} or more`;
    case "maximum":
      return `Must be ${String(bound)} or less`;
    case "exclusiveMinimum":
      return `Must be more than ${String(bound)}`;
    case "exclusiveMaximum":
      return `Must be less than ${String(bound)}`;
    case "multipleOf":
      return `Must be a multiple of ${String(bound)}`;
    case "minLength":
      return bound === 1 ? "Must not be empty" : `Must have at least ${count(bound, "character")}`;
    case "maxLength":
      return `Must have at most ${count(bound, "character")}`;
    case "minItems":
      return bound === 1 ? "Must not be empty" : `Must have at least ${count(bound, "item")}`;
    case "maxItems":
      return bound === 0 ? "Must be empty" : `Must have at most ${count(bound, "item")}`;
    case "minProperties":
      return `Must have at least ${count(bound, "field")}`;
    case "maxProperties":
      return `Must have at most ${count(bound, "field")}`;
    case "pattern":
    case "format":
      return formatMessage(schema);
    case "finite":
      return "Must be a finite number";
    case "safe":
      return `Must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER} to be exact`;
    case "uniqueItems":
      return "Must not contain duplicate items";
    default:
      return "Must match the schema";
  }
}

/** The name of the format, the requirement of `.startsWith()` and similar, or the pattern itself. */
function formatMessage({ format, pattern }: JsonSchemaObject): string {
  const named = typeof format === "string" ? (formats[format] ?? nameFormat(format)) : null;
  if (named !== null) return `Must be ${named}`;
  if (typeof pattern !== "string") return `Must have the format ${String(format)}`;
  const plain = readPattern(pattern);
  if (!plain || plain.kind === "is") return `Must match ${pattern}`;
  const requirement = { starts: "start with", ends: "end with", contains: "contain" }[plain.kind];
  return `Must ${requirement} "${plain.texts.join("")}"`;
}

function oneOf(values: readonly Json[]): string {
  const shown = values.slice(0, 12).map(nameValue).join(", ");
  return `Must be one of ${shown}${values.length > 12 ? ", …" : ""}`;
}

function nameValue(value: Json | undefined): string {
  return typeof value === "string" && /^[^\s,"]+$/.test(value) ? value : JSON.stringify(value ?? null);
}

function count(bound: Json | undefined, unit: string): string {
  return formatCount(Number(bound), unit);
}
