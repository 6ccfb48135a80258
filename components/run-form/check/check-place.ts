import { type Schema, Validator } from "@cfworker/json-schema";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { wordsOf } from "./words.ts";

/** One validation issue of a value, not of its children. */
export interface Finding {
  code: string;
  message: string;
}

/** The issues of a value from the schema's own keywords, without its children. */
export function checkPlace(schema: JsonSchemaObject, value: Json): Finding[] {
  const broken = [...brokenKeywords(schema, value), ...brokenAsZodReads(schema, value)];
  // For a wrong type, other issues are noise.
  const reported = broken.includes("type") ? ["type"] : broken;
  return reported.map((code) => ({ code, message: wordsOf(code, schema) }));
}

/** Keywords about children, annotations, and keywords with special rules in Zod. */
const readElsewhere = new Set([
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
  "multipleOf",
]);

const validators = new WeakMap<JsonSchemaObject, Validator>();

function brokenKeywords(schema: JsonSchemaObject, value: Json): string[] {
  const known = validators.get(schema);
  // A copy, because the validator modifies its schema. It is an interpreter and needs no eval.
  const read = () =>
    new Validator(
      structuredClone(
        Object.fromEntries(Object.entries(schema).filter(([keyword]) => !readElsewhere.has(keyword))),
      ) as Schema,
      "2020-12",
      false,
    );
  const validator = known ?? read();
  if (!known) validators.set(schema, validator);
  try {
    return validator.validate(value).errors.map(({ keyword }) => keyword);
  } catch (error) {
    // A pattern that is valid only without the `u` flag: left to the server.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function brokenAsZodReads(schema: JsonSchemaObject, value: Json): string[] {
  if (typeof value === "string") return brokenText(schema, value);
  return typeof value === "number" ? brokenNumber(schema, value) : [];
}

/** Zod accepts the URLs that the platform can parse. Its other formats are exported with their pattern. */
function brokenText({ format, pattern }: JsonSchemaObject, text: string): string[] {
  return format === "uri" && pattern === undefined && !URL.canParse(text.trim()) ? ["format"] : [];
}

/** Zod accepts finite numbers, safe integers, and multiples within the precision of a double. */
function brokenNumber({ type, multipleOf }: JsonSchemaObject, value: number): string[] {
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
