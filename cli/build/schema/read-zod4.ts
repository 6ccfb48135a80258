import { z } from "zod";
import { sensitiveMark } from "../../../sdk/sensitive.ts";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { overwriteOf } from "./inspect-zod4.ts";
import { type Zod4Node, asArray, isFunction, isRecord, isZod4 } from "./zod-node.ts";
import {
  Bounds,
  type Field,
  fixedKeywords,
  literalPattern,
  patternKeywords,
  patternOf,
  type ShapeOfKind,
  wrap,
  type ZodShape,
} from "./zod-shape.ts";

/** Reads one level of a schema of Zod 4. Every copy and every version of it has the same internals. */
export function readZod4(schema: Zod4Node): ZodShape {
  const meta = metaOf(schema);
  return {
    ...readKind(schema),
    about: aboutOf(schema, meta),
    id: typeof meta["id"] === "string" ? meta["id"] : null,
    isSensitive: schema._zod.def[sensitiveMark] === true || meta["sensitive"] === true || hasSensitivePiece(schema),
    accepts: (value) => accepts(schema, value) === true,
    changesValue: checksOf(schema).some((check) => overwriteOf(check) !== null || isUrl(check)),
  };
}

function readKind(schema: Zod4Node): ShapeOfKind {
  const { def } = schema._zod;
  switch (def.type) {
    case "string":
      return { kind: "scalar", keywords: stringKeywords(schema), parsed: stringKeywords(schema, { isParsed: true }) };
    case "number":
      return { kind: "scalar", keywords: numberKeywords(schema) };
    case "boolean":
    case "null":
      return { kind: "scalar", keywords: { type: def.type } };
    case "never":
      return { kind: "scalar", keywords: { not: {} } };
    case "enum":
      return { kind: "scalar", keywords: fixedKeywords(valuesOf(schema) ?? [], { isList: true }) };
    case "literal":
      return { kind: "scalar", keywords: fixedKeywords(valuesOf(schema) ?? []) };
    case "template_literal":
      return {
        kind: "scalar",
        keywords: { type: "string", ...patternKeywords(schema._zod.pattern ? [schema._zod.pattern.source] : []) },
      };
    case "array":
      return { kind: "array", item: def["element"], keywords: sizeKeywords(schema) };
    case "tuple":
      return readTuple(schema);
    case "object":
      return readObject(schema);
    case "record":
      return readRecord(schema);
    case "union":
      return { kind: "union", options: asArray(def["options"]) };
    case "intersection":
      return { kind: "intersection", sides: [def["left"], def["right"]], sharesKeys: true };
    case "optional":
    case "nonoptional":
    case "readonly":
    case "catch":
    case "promise":
      return wrap(def["innerType"]);
    case "nullable":
      return wrap(def["innerType"], { isNullable: true });
    case "default":
    case "prefault":
      return wrap(def["innerType"], { suppliesValue: true });
    case "lazy":
      return wrap(isFunction(def["getter"]) ? def["getter"]() : null);
    case "pipe":
      // Only tools have transforms. The schema before or after one is what their author wrote.
      if (isTransform(def["in"])) return wrap(def["out"]);
      return isTransform(def["out"]) || isFunction(def["transform"])
        ? wrap(def["in"])
        : { kind: "pipe", from: def["in"], to: def["out"] };
    default:
      return { kind: "anything" };
  }
}

/** The string of a template contains the values of its pieces. */
function hasSensitivePiece({ _zod: { def } }: Zod4Node): boolean {
  return (
    def.type === "template_literal" && asArray(def["parts"]).some((part) => isZod4(part) && readZod4(part).isSensitive)
  );
}

function isTransform(schema: unknown): boolean {
  return isZod4(schema) && schema._zod.def.type === "transform";
}

/** The fixed values that it accepts; of a key, the only possible ones. */
function valuesOf(schema: unknown): unknown[] | null {
  const values = isZod4(schema) ? schema._zod.values : undefined;
  return values ? [...values] : null;
}

/** Some schemas are a check themselves, which runs first. */
function checksOf(schema: Zod4Node): Record<string, unknown>[] {
  const own = schema._zod.def["check"] === undefined ? [] : [schema];
  return [...own, ...asArray(schema._zod.def.checks)].filter(isRecord);
}

function defOf(check: unknown): Record<string, unknown> {
  const internals = isRecord(check) ? check["_zod"] : null;
  return isRecord(internals) && isRecord(internals["def"]) ? internals["def"] : {};
}

/** A URL is trimmed, or normalized. */
function isUrl(check: unknown): boolean {
  const { check: kind, format } = defOf(check);
  return kind === "string_format" && format === "url";
}

/** A check that follows a change applies to the changed string, so it says nothing of the JSON as sent. */
function stringKeywords(schema: Zod4Node, { isParsed = false } = {}): JsonSchemaObject {
  const bounds = new Bounds();
  const patterns: string[] = [];
  let format: JsonSchemaObject = {};
  const checks = checksOf(schema);
  for (const [at, check] of checks.entries()) {
    const change = overwriteOf(check);
    if (change !== null && !isParsed) {
      if (change === "trim") bounds.min("minLength", minAfterTrim(checks.slice(at)));
      break;
    }
    const def = defOf(check);
    addLength(def, bounds, ["minLength", "maxLength"]);
    if (def["check"] !== "string_format") continue;
    format = formatOf(def) ?? format;
    const pattern = patternOfFormat(def);
    if (pattern !== null) patterns.push(pattern);
    if (isUrl(check) && !isParsed) break;
  }
  return { type: "string", ...bounds.keywords(), ...format, ...patternKeywords(patterns) };
}

function addLength(def: Record<string, unknown>, bounds: Bounds, [min, max]: [string, string]): void {
  if (def["check"] === "min_length") bounds.min(min, def["minimum"]);
  if (def["check"] === "max_length") bounds.max(max, def["maximum"]);
  if (def["check"] === "length_equals") {
    bounds.min(min, def["length"]);
    bounds.max(max, def["length"]);
  }
}

/** Trimming only shortens, so a minimum length afterwards also applies before. */
function minAfterTrim(checks: readonly unknown[]): number | null {
  const bounds = new Bounds();
  for (const check of checks) {
    if (overwriteOf(check) === "other" || isUrl(check)) break;
    addLength(defOf(check), bounds, ["minLength", "maxLength"]);
  }
  const { minLength } = bounds.keywords();
  return typeof minLength === "number" ? minLength : null;
}

const formatNames: Readonly<Record<string, string>> = {
  guid: "uuid",
  url: "uri",
  datetime: "date-time",
  json_string: "json-string",
};

const noFormats = new Set(["includes", "starts_with", "ends_with", "lowercase", "uppercase", "regex", "time"]);

/** `null`: the format of JSON Schema differs, or the pattern says all. */
function formatOf(def: Record<string, unknown>): JsonSchemaObject | null {
  const { format } = def;
  if (typeof format !== "string" || noFormats.has(format)) return null;
  // Without an offset or seconds, which `date-time` requires.
  if (def["local"] === true || def["precision"] === -1) return {};
  return { format: formatNames[format] ?? format };
}

/** Zod has a pattern for these formats, and does not use it to check them. */
const checkedOtherwise = new Set(["url", "ipv6", "cidrv6", "base64", "base64url", "jwt"]);

function patternOfFormat(def: Record<string, unknown>): string | null {
  const { format, pattern } = def;
  if (typeof format !== "string" || checkedOtherwise.has(format)) return null;
  if (format === "includes") return literalPattern(def["includes"]);
  if (format === "starts_with") return literalPattern(def["prefix"], { before: "^", after: ".*" });
  if (format === "ends_with") return literalPattern(def["suffix"], { before: ".*", after: "$" });
  return pattern instanceof RegExp ? patternOf(pattern) : null;
}

function numberKeywords(schema: Zod4Node): JsonSchemaObject {
  const bounds = new Bounds();
  const steps = new Set<number>();
  let type = "number";
  for (const check of checksOf(schema)) {
    if (overwriteOf(check) !== null) break;
    const def = defOf(check);
    const { value } = def;
    if (def["check"] === "greater_than") bounds.min(def["inclusive"] === true ? "minimum" : "exclusiveMinimum", value);
    if (def["check"] === "less_than") bounds.max(def["inclusive"] === true ? "maximum" : "exclusiveMaximum", value);
    if (def["check"] === "multiple_of" && typeof value === "number" && Number.isFinite(value) && value !== 0)
      steps.add(Math.abs(value));
    if (def["check"] !== "number_format") continue;
    const format = String(def["format"]);
    if (format.includes("int")) type = "integer";
    // Every integer of Zod 4 is a safe one.
    const range: readonly number[] = format === "safeint" ? [] : (rangesByFormat[format] ?? []);
    bounds.min("minimum", range[0]);
    bounds.max("maximum", range[1]);
  }
  const [multipleOf, ...others] = steps;
  return {
    type,
    ...bounds.keywords(),
    ...(multipleOf !== undefined && { multipleOf }),
    ...(others.length > 0 && { allOf: others.map((step) => ({ multipleOf: step })) }),
  };
}

const rangesByFormat: Readonly<Record<string, readonly number[]>> = z.core.util.NUMBER_FORMAT_RANGES;

function sizeKeywords(schema: Zod4Node): JsonSchemaObject {
  const bounds = new Bounds();
  for (const check of checksOf(schema)) {
    if (overwriteOf(check) !== null) break;
    addLength(defOf(check), bounds, ["minItems", "maxItems"]);
  }
  return bounds.keywords();
}

function readTuple(schema: Zod4Node): ShapeOfKind {
  const { def, constr } = schema._zod;
  const items = asArray(def["items"]);
  const rest = isZod4(def["rest"]) ? def["rest"] : null;
  // Zod of each version has its own rules for missing items, so it decides.
  const minItems = items.findIndex(
    (_, at) => accepts(new constr({ type: "tuple", items: items.slice(at), rest, checks: [] }), []) !== false,
  );
  return {
    kind: "tuple",
    items,
    rest,
    minItems: minItems === -1 ? items.length : minItems,
    keywords: sizeKeywords(schema),
  };
}

function readObject(schema: Zod4Node): ShapeOfKind {
  const { def } = schema._zod;
  const { catchall } = def;
  // Zod never reads a field with the name __proto__.
  const fields = Object.entries(isRecord(def["shape"]) ? def["shape"] : {}).filter(([name]) => name !== "__proto__");
  const catchallType = isZod4(catchall) ? catchall._zod.def.type : null;
  return {
    kind: "object",
    fields: fields.map(([name, field]): Field => ({
      name,
      schema: field,
      isRequired: isRequired(schema, name, field),
    })),
    others:
      catchallType === null
        ? "dropped"
        : catchallType === "never"
          ? "rejected"
          : catchallType === "unknown" || catchallType === "any"
            ? "kept"
            : { schema: catchall },
  };
}

const neverUndefined = new Set(["string", "number", "boolean", "null", "enum", "array", "object", "tuple", "record"]);
const requiredFields = new WeakMap<object, boolean>();

/**
 * Zod of each version has its own rules for missing fields, so it decides. It also finds `toString`, which every object
 * has.
 */
function isRequired(object: Zod4Node, name: string, field: unknown): boolean {
  if (!isZod4(field) || (neverUndefined.has(field._zod.def.type) && field._zod.def["coerce"] !== true)) return true;
  const isInherited = name in {};
  const known = isInherited ? undefined : requiredFields.get(field);
  if (known !== undefined) return known;
  const probe = new object._zod.constr({ type: "object", shape: { [name]: field }, checks: [] });
  const found = accepts(probe, {}) === false;
  if (!isInherited) requiredFields.set(field, found);
  return found;
}

function readRecord(schema: Zod4Node): ShapeOfKind {
  const { def, constr } = schema._zod;
  const values = def["partial"] === true ? null : valuesOf(def["keyType"]);
  const names = values?.filter((value) => typeof value === "string" || typeof value === "number").map(String) ?? null;
  return {
    kind: "record",
    key: def["keyType"],
    value: def["valueType"],
    names: names?.filter((name) => name !== "__proto__") ?? null,
    areRequired: names !== null && accepts(new constr({ ...def, checks: [] }), {}) === false,
    isLoose: def["mode"] === "loose",
  };
}

/** Whether a schema accepts a value; `null`: code of the user throws, for example that of a message. */
function accepts(schema: Zod4Node, value: unknown): boolean | null {
  try {
    return schema._zod.run({ value, issues: [] }, { async: false, jitless: true }).issues.length === 0;
  } catch {
    return null;
  }
}

/** The metadata in the registry of the project's copy of Zod, and in that of this copy: they may be the same. */
function metaOf(schema: Zod4Node): Record<string, unknown> {
  const meta: unknown = Reflect.get(schema, "meta");
  const own: unknown = isFunction(meta) ? meta.call(schema) : null;
  const global: unknown = z.globalRegistry.get(schema as unknown as z.core.$ZodType);
  return { ...(isRecord(global) ? global : {}), ...(isRecord(own) ? own : {}) };
}

/**
 * Metadata is documentation, so no keyword that constrains a value is read from it. Examples and defaults that Zod
 * rejects are no examples.
 */
function aboutOf(schema: Zod4Node, meta: Record<string, unknown>): JsonSchemaObject {
  const { title, description, deprecated, examples } = meta;
  const { type, defaultValue } = schema._zod.def;
  const isDefault = (type === "default" || type === "prefault") && accepts(schema, defaultValue) === true;
  const valid = asArray(examples).filter((example) => accepts(schema, example) === true);
  const about = {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(deprecated === true && { deprecated }),
    ...(valid.length > 0 && { examples: valid }),
    ...(isDefault && { default: defaultValue }),
  };
  return throughJson(about);
}

/** Only JSON is exported. */
function throughJson(value: object): Record<string, Json> {
  const copy: Record<string, Json> = JSON.parse(JSON.stringify(value));
  return copy;
}
