import type { ModelStep } from "../../contract/agent/trace.ts";
import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { toPointer } from "../../shared/json/json-pointer.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import type { AnySchema } from "../../ports/project.ts";
import { toJson } from "../run-values.ts";

const singles: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);
const lists: ReadonlySet<string> = new Set(["anyOf", "oneOf", "prefixItems"]);
const maps: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

const maxIssues = 20;

/**
 * Reads the output of a run: the text of the answer or, with a schema, its parsed value. `why` is for the model, which
 * can correct its answer.
 */
export function readOutput(
  schema: AnySchema | null,
  { content }: ModelStep,
): { isValid: true; value: Json } | { isValid: false; why: string } {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  if (!schema) return { isValid: true, value: text };
  const json = parseJson(text);
  if (json === undefined) return { isValid: false, why: text.trim() === "" ? "It is empty." : "It is not JSON." };
  const parsed = schema.safeParse(json);
  if (parsed.success) return { isValid: true, value: toJson(parsed.data, "The answer") };
  return {
    isValid: false,
    why: parsed.error.issues
      .slice(0, maxIssues)
      .map(({ path, message }) => `  ${toPointer(path) || "(the whole answer)"}: ${message}`)
      .join("\n"),
  };
}

/** Models often wrap JSON in a code block. */
function parseJson(text: string): Json | undefined {
  const trimmed = text.trim();
  const [opening = ""] = trimmed.split("\n", 1);
  const isBlock = /^```(?:json)?\s*$/.test(opening) && trimmed.length > opening.length && trimmed.endsWith("```");
  try {
    const json: Json = JSON.parse(isBlock ? trimmed.slice(opening.length, -3) : text);
    return json;
  } catch {
    return undefined;
  }
}

/**
 * Converts a schema for model providers: without `$schema`, and with every object closed (`additionalProperties:
 * false`), as OpenAI requires and the AI SDK does. `isStrict`: the schema satisfies OpenAI's rules for `strict`: every
 * property is required, and there are no records, `oneOf` or `allOf`.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function answerSchema(schema: JsonSchemaObject): { schema: JsonSchemaObject; isStrict: boolean } {
  const seen = { isStrict: true };
  const { $schema: _, ...rest } = schema;
  return { schema: closeObject(rest, seen), ...seen };
}

function closeObject(schema: JsonSchemaObject, seen: { isStrict: boolean }): JsonSchemaObject {
  const closed = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, closeKeyword(keyword, value, seen)]),
  );
  if ("oneOf" in closed || "allOf" in closed) seen.isStrict = false;
  if (closed["type"] !== "object") return closed;
  const { additionalProperties, properties, required } = closed;
  if (isObject(additionalProperties)) seen.isStrict = false;
  else closed["additionalProperties"] = false;
  const names = isObject(properties) ? Object.keys(properties) : [];
  if (names.some((name) => !Array.isArray(required) || !required.includes(name))) seen.isStrict = false;
  return closed;
}

/**
 * Closes only schemas: values in `enum`, `const` and `default` stay unchanged. So do the parts of `allOf`, which would
 * otherwise reject each other's properties.
 */
function closeKeyword(keyword: string, value: Json, seen: { isStrict: boolean }): Json {
  if (lists.has(keyword) && Array.isArray(value))
    return value.map((item) => (isObject(item) ? closeObject(item, seen) : item));
  if (!isObject(value)) return value;
  if (singles.has(keyword)) return closeObject(value, seen);
  if (!maps.has(keyword)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, isObject(child) ? closeObject(child, seen) : child]),
  );
}
