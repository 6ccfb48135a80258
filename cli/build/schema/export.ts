import { ignoreOverride, zodToJsonSchema } from "zod-to-json-schema";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { exportZod4 } from "./export-zod4.ts";
import { markMadeOf, modernizeZod3 } from "./modernize-zod3.ts";
import { asArray, isRecord, isZod3, isZod4, type Zod3Def, type Zod3Node } from "./zod-node.ts";

const ownFormats = ["includes", "starts_with", "ends_with", "lowercase", "uppercase"];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
const maps = ["properties", "patternProperties", "$defs"];
const single = ["items", "additionalProperties", "propertyNames", "not"];

/**
 * The JSON Schema (2020-12) of the JSON that a schema accepts. Requires a schema without findings of lintSchema. Checks
 * that follow a change of the value (`.trim()`, `.toLowerCase()`) do not apply to the JSON as sent, so they are
 * omitted.
 */
export function exportSchema(schema: unknown): JsonSchemaObject {
  if (isZod4(schema)) return tidy(exportZod4(schema));
  if (isZod3(schema)) return tidy(exportZod3(schema));
  throw new TypeError("Not a Zod schema");
}

/**
 * Removes redundant keywords: the bounds of safe integers, key names that can be any string, permitted additional
 * fields, and patterns that repeat a format.
 */
function tidy(exported: Record<string, unknown>): JsonSchemaObject {
  // Through JSON, so that only the content of the manifest remains.
  const plain: JsonSchemaObject = JSON.parse(JSON.stringify(exported));
  tidySchema(plain);
  return plain;
}

function tidySchema(schema: Json | undefined): void {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  if (schema["type"] === "integer") {
    if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
    if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  }
  if (typeof schema["format"] === "string" && ownFormats.includes(schema["format"])) delete schema["format"];
  if (schema["additionalProperties"] === true) delete schema["additionalProperties"];
  const names = schema["propertyNames"];
  if (JSON.stringify(names) === '{"type":"string"}') delete schema["propertyNames"];
  for (const key of single) tidySchema(schema[key]);
  for (const key of lists) {
    const list = schema[key];
    if (Array.isArray(list)) list.forEach(tidySchema);
  }
  for (const key of maps) {
    const map = schema[key];
    if (typeof map === "object" && map !== null && !Array.isArray(map)) Object.values(map).forEach(tidySchema);
  }
}

type Exported = Record<string, unknown>;

function exportZod3(schema: Zod3Node): Exported {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...modernizeZod3(withoutChangedChecks(schema)) };
}

function withoutChangedChecks(schema: Zod3Node): Exported {
  const names = new Map<unknown, string>();
  const nameOf = (def: unknown): string => {
    const name = names.get(def) ?? `${names.size}`;
    names.set(def, name);
    return name;
  };
  const { $schema: _, ...exported } = zodToJsonSchema(schema as unknown as Parameters<typeof zodToJsonSchema>[0], {
    removeAdditionalStrategy: "strict",
    applyRegexFlags: true,
    // The exporter's own references are paths that it guesses, and joins without escaping. These are names; modernizeZod3 looks where they went.
    override: (def, _refs, seen, isForced) => (seen && !isForced ? { $ref: nameOf(def) } : ignoreOverride),
    postProcess: (json, def) => markMadeOf(correctString(json, def as unknown as Zod3Def), nameOf(def)),
  });
  return exported;
}

type PostProcess = NonNullable<Exclude<Parameters<typeof zodToJsonSchema>[1], string | undefined>["postProcess"]>;

/**
 * Omits checks that follow `.trim()` and similar changes, because they do not apply to the JSON as sent. Minimum
 * lengths after `.trim()` are kept.
 */
function correctString(json: ReturnType<PostProcess>, def: Zod3Def): ReturnType<PostProcess> {
  if (def.typeName !== "ZodString") return json;
  const checks = asArray(def["checks"]).filter(isRecord);
  const change = checks.findIndex(changes);
  if (change === -1 || change === checks.length - 1) return json;
  const after = checks.slice(change + 1);
  const firstOther = checks.slice(change).findIndex((check) => changes(check) && check["kind"] !== "trim");
  const lengths = firstOther === -1 ? after.filter((check) => check["kind"] === "min") : [];
  return zodToJsonSchema({ _def: { ...def, checks: [...checks.slice(0, change), ...lengths] } } as never, {
    applyRegexFlags: true,
  });
}

function changes(check: Record<string, unknown>): boolean {
  return ["trim", "toLowerCase", "toUpperCase"].includes(String(check["kind"]));
}
