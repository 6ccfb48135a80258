import { zodToJsonSchema } from "zod-to-json-schema";
import { sensitiveMark } from "../../../sdk/sensitive.ts";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { asArray, isFunction, isRecord, type Zod3Def, type Zod3Node } from "./zod-node.ts";
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

/** Reads one level of a schema of Zod 3. */
export function readZod3(schema: Zod3Node): ZodShape {
  const { _def: def } = schema;
  return {
    ...readKind(schema),
    about: aboutOf(schema),
    id: null,
    isSensitive: def[sensitiveMark] === true,
    accepts: (value) => accepts(schema, value) === true,
    changesValue: checksOf(schema).some(isChange),
  };
}

function readKind(schema: Zod3Node): ShapeOfKind {
  const { _def: def } = schema;
  switch (def.typeName) {
    case "ZodString":
      return { kind: "scalar", keywords: stringKeywords(schema), parsed: stringKeywords(schema, { isParsed: true }) };
    case "ZodNumber":
      return { kind: "scalar", keywords: numberKeywords(schema) };
    case "ZodBoolean":
    case "ZodNull":
    case "ZodNever":
      return { kind: "scalar", keywords: exportScalar(def) };
    case "ZodLiteral":
      return { kind: "scalar", keywords: fixedKeywords([def["value"]]) };
    case "ZodEnum":
    case "ZodNativeEnum":
      return { kind: "scalar", keywords: fixedKeywords(asArray(exportScalar(def)["enum"]), { isList: true }) };
    case "ZodArray":
      return { kind: "array", item: def["type"], keywords: sizeKeywords(schema) };
    case "ZodTuple": {
      const items = asArray(def["items"]);
      return { kind: "tuple", items, rest: def["rest"] ?? null, minItems: items.length, keywords: {} };
    }
    case "ZodObject":
      return readObject(schema);
    case "ZodRecord":
      return {
        kind: "record",
        key: def["keyType"],
        value: def["valueType"],
        names: null,
        areRequired: false,
        isLoose: false,
      };
    case "ZodUnion":
    case "ZodDiscriminatedUnion":
      return { kind: "union", options: asArray(def["options"]) };
    case "ZodIntersection":
      return { kind: "intersection", sides: [def["left"], def["right"]], sharesKeys: false };
    case "ZodOptional":
    case "ZodReadonly":
    case "ZodCatch":
      return wrap(def["innerType"]);
    case "ZodNullable":
      return wrap(def["innerType"], { isNullable: true });
    case "ZodDefault":
      return wrap(def["innerType"], { suppliesValue: true });
    case "ZodBranded":
    case "ZodPromise":
      return wrap(def["type"]);
    case "ZodLazy":
      return wrap(isFunction(def["getter"]) ? def["getter"]() : null);
    case "ZodPipeline":
      return { kind: "pipe", from: def["in"], to: def["out"] };
    case "ZodEffects":
      // Only tools have code. The schema around it is what their author wrote.
      return wrap(def["schema"]);
    default:
      return { kind: "anything" };
  }
}

/** The keywords of a scalar. Parts of other schemas are put together here, because the exporter does so for its output. */
function exportScalar(def: Zod3Def): JsonSchemaObject {
  const { $schema: _, ...keywords } = zodToJsonSchema({ _def: def } as never);
  return keywords as JsonSchemaObject;
}

/** The keywords of one check. Of several checks that set the same keyword, the exporter would keep the last one. */
function exportCheck(typeName: "ZodString" | "ZodNumber", check: Record<string, unknown>): JsonSchemaObject {
  return exportScalar({ typeName, checks: [check] });
}

function checksOf({ _def: def }: Zod3Node): Record<string, unknown>[] {
  return asArray(def["checks"]).filter(isRecord);
}

function isChange({ kind }: Record<string, unknown>): boolean {
  return kind === "trim" || kind === "toLowerCase" || kind === "toUpperCase";
}

/** A check that follows a change applies to the changed string, so it says nothing of the JSON as sent. */
function stringKeywords(schema: Zod3Node, { isParsed = false } = {}): JsonSchemaObject {
  const bounds = new Bounds();
  const patterns: string[] = [];
  let format: JsonSchemaObject = {};
  const checks = checksOf(schema);
  for (const [at, check] of checks.entries()) {
    if (isChange(check) && !isParsed) {
      for (const later of untilChange(checks.slice(at))) addLength(later, bounds, { withMax: false });
      break;
    }
    addLength(check, bounds, { withMax: true });
    format = formatOf(check) ?? format;
    const pattern = patternOfCheck(check);
    if (pattern !== null) patterns.push(pattern);
  }
  return { type: "string", ...bounds.keywords(), ...format, ...patternKeywords(patterns) };
}

/** The checks of a trimmed string. Trimming only shortens, so a minimum length afterwards also applies before. */
function untilChange(checks: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const end = checks.findIndex((check) => isChange(check) && check["kind"] !== "trim");
  return end === -1 ? checks : checks.slice(0, end);
}

function addLength(check: Record<string, unknown>, bounds: Bounds, { withMax }: { withMax: boolean }): void {
  const { minLength, maxLength } = exportCheck("ZodString", check);
  bounds.min("minLength", minLength);
  if (withMax) bounds.max("maxLength", maxLength);
}

/** Formats that JSON Schema does not have, which the exporter writes as patterns. */
const ownFormats = ["nanoid", "cuid", "cuid2", "ulid", "emoji", "base64", "base64url", "jwt"];

function formatOf(check: Record<string, unknown>): JsonSchemaObject | null {
  const { kind, version } = check;
  if (ownFormats.includes(String(kind))) return { format: String(kind) };
  if (kind === "cidr") {
    const names = version === "v4" || version === "v6" ? [`cidr${version}`] : ["cidrv4", "cidrv6"];
    const [format = "", ...others] = names;
    return others.length === 0 ? { format } : { anyOf: names.map((name) => ({ format: name })) };
  }
  const { format, anyOf } = exportCheck("ZodString", check);
  if (format !== undefined) return { format };
  // Either version of an IP address.
  return kind === "ip" && anyOf !== undefined ? { anyOf } : null;
}

/** Formats whose pattern Zod uses as it is, with the letters of both cases where its own ignores them. */
const formatPatterns: Readonly<Record<string, string>> = {
  nanoid: "^[a-zA-Z0-9_-]{21}$",
  cuid: "^[cC][^\\s-]{8,}$",
  cuid2: "^[0-9a-z]+$",
  ulid: "^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}$",
};

function patternOfCheck({ kind, value, regex }: Record<string, unknown>): string | null {
  if (kind === "regex") return regex instanceof RegExp ? patternOf(regex) : null;
  if (kind === "includes") return literalPattern(value);
  if (kind === "startsWith") return literalPattern(value, { before: "^" });
  if (kind === "endsWith") return literalPattern(value, { after: "$" });
  return formatPatterns[String(kind)] ?? null;
}

function numberKeywords(schema: Zod3Node): JsonSchemaObject {
  const bounds = new Bounds();
  const steps = new Set<number>();
  let type = "number";
  for (const check of checksOf(schema)) {
    const exported = exportCheck("ZodNumber", check);
    if (exported["type"] === "integer") type = "integer";
    for (const keyword of ["minimum", "exclusiveMinimum"]) bounds.min(keyword, exported[keyword]);
    for (const keyword of ["maximum", "exclusiveMaximum"]) bounds.max(keyword, exported[keyword]);
    const { multipleOf } = exported;
    if (typeof multipleOf === "number" && Number.isFinite(multipleOf) && multipleOf !== 0)
      steps.add(Math.abs(multipleOf));
  }
  return { type, ...bounds.keywords(), ...stepKeywords([...steps]) };
}

function stepKeywords([multipleOf, ...others]: readonly number[]): JsonSchemaObject {
  if (multipleOf === undefined) return {};
  return { multipleOf, ...(others.length > 0 && { allOf: others.map((step) => ({ multipleOf: step })) }) };
}

function sizeKeywords({ _def: def }: Zod3Node): JsonSchemaObject {
  const bounds = new Bounds();
  for (const limit of [def["minLength"], def["exactLength"]])
    if (isRecord(limit)) bounds.min("minItems", limit["value"]);
  for (const limit of [def["maxLength"], def["exactLength"]])
    if (isRecord(limit)) bounds.max("maxItems", limit["value"]);
  return bounds.keywords();
}

function readObject({ _def: def }: Zod3Node): ShapeOfKind {
  const shape = isFunction(def["shape"]) ? def["shape"]() : def["shape"];
  const { catchall, unknownKeys } = def;
  const hasCatchall = isRecord(catchall) && isRecord(catchall["_def"]) && catchall["_def"]["typeName"] !== "ZodNever";
  return {
    kind: "object",
    fields: Object.entries(isRecord(shape) ? shape : {}).map(([name, field]): Field => ({
      name,
      schema: field,
      isRequired: accepts(field, undefined) === false,
    })),
    others: hasCatchall
      ? { schema: catchall }
      : unknownKeys === "strict"
        ? "rejected"
        : unknownKeys === "passthrough"
          ? "kept"
          : "dropped",
  };
}

/** Whether a schema accepts a value; `null`: code of the user throws, for example that of a message. */
function accepts(schema: unknown, value: unknown): boolean | null {
  if (!isRecord(schema) || !isFunction(schema["safeParse"])) return null;
  try {
    const outcome = schema["safeParse"](value);
    return isRecord(outcome) && outcome["success"] === true;
  } catch {
    return null;
  }
}

function aboutOf(schema: Zod3Node): Record<string, Json> {
  const { description, defaultValue, typeName } = schema._def;
  const value = typeName === "ZodDefault" && isFunction(defaultValue) ? defaultValue() : undefined;
  const about: Record<string, Json> = JSON.parse(
    JSON.stringify({
      ...(typeof description === "string" && { description }),
      ...(value !== undefined && accepts(schema, value) === true && { default: value }),
    }),
  );
  return about;
}
