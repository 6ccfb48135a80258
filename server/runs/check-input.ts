import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { z } from "zod";
import type { Json, JsonSchemaObject } from "../contract/json.ts";
import type { ProblemError } from "../contract/problem.ts";
import { toPointer } from "../domain/json/json-pointer.ts";
import { explainIssues, toProblemErrors } from "../matching/explain/explain.ts";
import type { AnyIssue } from "../ports/project.ts";

/**
 * The validation issues of an input by a workflow's exported JSON Schema; empty if it is valid. This is only an early
 * check: the worker parses with the workflow's Zod schema and decides. So this check ignores constraints that the
 * export cannot express exactly.
 */
export function checkInput(schema: JsonSchemaObject, input: Json): ProblemError[] {
  try {
    const validator = validatorOf(schema);
    const { valid, errors } = validator.validate(input);
    // The export does not say that a string is trimmed, or its case changed, before it is checked.
    if (valid || changedForms(input).some((form) => validator.validate(form).valid)) return [];
    const issues = zodIssuesOf(schema, input);
    return issues.length > 0
      ? toProblemErrors(explainIssues(issues, input))
      : errors
          .filter((error) => !structural.has(error.keyword))
          .map(toProblemError)
          .slice(0, 20);
  } catch {
    // A pattern that JavaScript takes without the `u` flag only, or half a surrogate pair in a key: the validator itself falls over these.
    return [];
  }
}

const validators = new WeakMap<JsonSchemaObject, Validator>();

function validatorOf(schema: JsonSchemaObject): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const validator = new Validator(readable(schema) as Schema, "2020-12", false);
  validators.set(schema, validator);
  return validator;
}

/**
 * The same issues with Zod's messages, as senders of webhooks get them; none if Zod finds none. Only workers have the
 * workflow's schema, so it is rebuilt from its export.
 */
function zodIssuesOf(schema: JsonSchemaObject, input: Json): readonly AnyIssue[] {
  try {
    const known =
      zodSchemas.get(schema) ?? z.fromJSONSchema(withoutFormatPatterns(schema) as z.core.JSONSchema.JSONSchema);
    zodSchemas.set(schema, known);
    return (known.safeParse(input).error?.issues ?? []).map((issue) => ofNullable({ ...issue }));
  } catch {
    // Keywords that Zod does not read.
    return [];
  }
}

const zodSchemas = new WeakMap<JsonSchemaObject, z.ZodType>();

/** For a format, Zod also exports the pattern. The format gives the better message. */
function withoutFormatPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutFormatPatterns);
  if (schema === null || typeof schema !== "object") return schema;
  const hasFormat = typeof schema["format"] === "string";
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !(hasFormat && keyword === "pattern" && typeof value === "string"),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, valueKeywords.has(keyword) ? value : withoutFormatPatterns(value)]),
  );
}

/** `.nullable()` is exported as a union with null. What is wrong is then what the other alternative says. */
function ofNullable(issue: AnyIssue): AnyIssue {
  const alternatives =
    issue.code === "invalid_union" && Array.isArray(issue["errors"]) ? (issue["errors"] as AnyIssue[][]) : [];
  const others = alternatives.filter(([first]) => first?.["expected"] !== "null");
  const [only] = others.length === 1 && alternatives.length === 2 ? (others[0] ?? []) : [];
  return only ? { ...only, path: [...issue.path, ...only.path] } : issue;
}

/** Keywords that only report that a subschema failed, which has its own error. */
const structural = new Set(["properties", "items", "prefixItems", "$ref", "allOf", "propertyNames"]);

function toProblemError({ instanceLocation, keyword, error }: OutputUnit): ProblemError {
  const missing = keyword === "required" ? /required property "(.*)"\.$/s.exec(error)?.[1] : undefined;
  const pointer =
    decodeURIComponent(instanceLocation.replace(/^#/, "")) + (missing === undefined ? "" : toPointer([missing]));
  return { pointer, code: keyword, message: missing === undefined ? error : "Required" };
}

/**
 * A schema as this validator reads it. `format` means to it something else than to Zod; where they agree, Zod exports a
 * `pattern` too. In a `$ref` it knows names only as `encodeURI` writes them.
 */
function readable(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(readable);
  if (schema === null || typeof schema !== "object") return schema;
  const kept = Object.entries(schema).filter(([keyword, value]) => keyword !== "format" || typeof value !== "string");
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, readableKeyword(keyword, value)]));
}

function readableKeyword(keyword: string, value: Json): Json {
  if (keyword === "$ref" && typeof value === "string") return encodeURI(decodeURIComponent(value));
  if (valueKeywords.has(keyword)) return value;
  // Maps of names to schemas. A name can equal a keyword.
  const isMap =
    ["properties", "patternProperties", "$defs"].includes(keyword) &&
    value !== null &&
    typeof value === "object" &&
    !Array.isArray(value);
  return isMap
    ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, readable(schema)]))
    : readable(value);
}

/** Keywords that contain values of the project, not schemas. */
const valueKeywords = new Set(["const", "enum", "default", "examples"]);

function changedForms(input: Json): Json[] {
  const trimmed = mapStrings(input, (text) => text.trim());
  return [
    trimmed,
    mapStrings(trimmed, (text) => text.toLowerCase()),
    mapStrings(trimmed, (text) => text.toUpperCase()),
  ];
}

function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}
