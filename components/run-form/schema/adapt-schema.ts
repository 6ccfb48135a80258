import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { isObject, listOf } from "../../../server/shared/schema/json-schema.ts";
import { anything, asSchema, flatten, never, own, schemasIn, valuesOf } from "./resolve-schema.ts";
import type { Draft } from "../draft/draft.ts";
import { type UnionOption, alternativesOf, titleAlternatives } from "./union-options.ts";

/**
 * How one value of a document is entered. Nested values are adapted when they are shown, so a recursive schema ends
 * where the value does.
 */
export type FormNode = {
  /** As exported, with its references. */
  schema: JsonSchemaObject;
  title: string | null;
  description: string | null;
  isNullable: boolean;
  default: Json | undefined;
} & NodeKind;

type NodeKind =
  | { kind: "object"; properties: Property[]; names: JsonSchemaObject | null; rest: Rest }
  | { kind: "list"; items: JsonSchemaObject; minItems: number; maxItems: number }
  | { kind: "tuple"; fixedItems: JsonSchemaObject[]; rest: JsonSchemaObject | null; minItems: number; maxItems: number }
  | { kind: "union"; options: UnionOption[] }
  | { kind: "choice"; values: Json[] }
  | { kind: "text"; format: string | null }
  | { kind: "number"; isInteger: boolean }
  | { kind: "boolean" }
  | { kind: "null" }
  | { kind: "json" }
  | { kind: "never" };

interface Property {
  name: string;
  schema: JsonSchemaObject;
  isRequired: boolean;
}

/** Further members of an object: with values of a schema, none at all, or any, which the server ignores. */
type Rest = JsonSchemaObject | "forbidden" | "ignored";

const adapted = new WeakMap<JsonSchemaObject, WeakMap<JsonSchemaObject, FormNode>>();

/** Converts a schema to a form node. Reads Zod's exports (2020-12), with unions, records, tuples and recursion. */
export function adaptSchema(schema: JsonSchemaObject, root: JsonSchemaObject): FormNode {
  const known = adapted.get(root) ?? new WeakMap<JsonSchemaObject, FormNode>();
  adapted.set(root, known);
  const before = known.get(schema);
  if (before) return before;
  const node = adapt(schema, root);
  known.set(schema, node);
  return node;
}

const fields: Record<NodeKind["kind"], string> = {
  object: "ObjectEntry",
  list: "ListEntry",
  tuple: "ListEntry",
  union: "UnionEntry",
  choice: "ChoiceEntry",
  text: "TextEntry",
  number: "NumberEntry",
  boolean: "BooleanEntry",
  null: "NullEntry",
  json: "JsonEntry",
  never: "JsonEntry",
};

/**
 * The schema that react-jsonschema-form gets for a node. It contains no unions, defaults or references, because the
 * library would drop data on a switch, overwrite values with defaults, and not end on recursion. Its data is a Draft,
 * which is an object.
 */
export function toRjsf(node: FormNode): { schema: RJSFSchema; uiSchema: UiSchema<Draft> } {
  return {
    schema: {
      type: "object",
      ...(node.title !== null && { title: node.title }),
      ...(node.description !== null && { description: node.description }),
    },
    uiSchema: { "ui:field": fields[node.kind] },
  };
}

function adapt(schema: JsonSchemaObject, root: JsonSchemaObject): FormNode {
  const flat = flatten(schema, root);
  const about = {
    schema,
    title: textOf(flat["title"]),
    description: textOf(flat["description"]),
    default: flat["default"],
  };
  const alternatives = alternativesOf(flat, root);
  if (alternatives.length === 0) return { ...about, isNullable: false, ...kindOf(flat) };
  const others = alternatives.filter((one) => flatten(one, root)["type"] !== "null");
  const isNullable = others.length > 0 && others.length < alternatives.length;
  if (others.length === 0) return { ...about, isNullable: false, kind: "null" };
  const [only] = others;
  if (others.length === 1 && only) {
    const node = adaptSchema(only, root);
    return {
      ...node,
      ...about,
      title: about.title ?? node.title,
      description: about.description ?? node.description,
      default: about.default ?? node.default,
      isNullable,
    };
  }
  if (takesAnyJson(alternatives, root)) return { ...about, isNullable: false, kind: "json" };
  const values = others.map((one) => valuesOf(flatten(one, root)));
  if (values.every((list) => list.length > 0)) return { ...about, isNullable, kind: "choice", values: values.flat() };
  return { ...about, isNullable, kind: "union", options: titleAlternatives(others, root) };
}

function kindOf(flat: JsonSchemaObject): NodeKind {
  const values = valuesOf(flat);
  if (values.length > 0) return { kind: "choice", values };
  if (flat["not"] !== undefined && isObject(flat["not"]) && Object.keys(flat["not"]).length === 0)
    return { kind: "never" };
  switch (typeOf(flat)) {
    case "object":
      return objectOf(flat);
    case "array":
      return arrayOf(flat);
    case "string":
      return { kind: "text", format: textOf(flat["format"]) };
    case "number":
    case "integer":
      return { kind: "number", isInteger: typeOf(flat) === "integer" };
    case "boolean":
      return { kind: "boolean" };
    case "null":
      return { kind: "null" };
    default:
      return { kind: "json" };
  }
}

/** The type of a schema. If it is missing, other keywords imply it. */
function typeOf(flat: JsonSchemaObject): Json | undefined {
  if (flat["type"] !== undefined) return flat["type"];
  if (flat["properties"] !== undefined) return "object";
  if (flat["items"] !== undefined || flat["prefixItems"] !== undefined) return "array";
  return flat["pattern"] === undefined ? undefined : "string";
}

function objectOf(flat: JsonSchemaObject): NodeKind {
  const required = listOf(flat["required"]);
  const named = Object.entries(asSchema(flat["properties"])).map(([name, schema]) => ({
    name,
    schema: asSchema(schema),
    isRequired: required.includes(name),
  }));
  const names = isObject(flat["propertyNames"]) ? flat["propertyNames"] : null;
  const rest = restOf(flat);
  const fixed =
    names && isObject(rest)
      ? valuesOf(names).filter(
          (name) => typeof name === "string" && own(asSchema(flat["properties"]), name) === undefined,
        )
      : [];
  if (fixed.length === 0 || !isObject(rest)) return { kind: "object", properties: named, names, rest };
  const keyed = fixed.map((name) => ({ name: String(name), schema: rest, isRequired: required.includes(name) }));
  return { kind: "object", properties: [...named, ...keyed], names, rest: "forbidden" };
}

function restOf(flat: JsonSchemaObject): Rest {
  const { additionalProperties, patternProperties } = flat;
  if (isObject(patternProperties)) return Object.values(patternProperties).map(asSchema)[0] ?? anything;
  if (additionalProperties === undefined) return "ignored";
  const schema = asSchema(additionalProperties);
  return schema === never || isObject(schema["not"]) ? "forbidden" : schema;
}

function arrayOf(flat: JsonSchemaObject): NodeKind {
  const minItems = Number(flat["minItems"] ?? 0);
  const maxItems = Number(flat["maxItems"] ?? Number.POSITIVE_INFINITY);
  const fixedItems = schemasIn(flat["prefixItems"]);
  const items = asSchema(flat["items"]);
  if (fixedItems.length === 0) return { kind: "list", items, minItems, maxItems };
  const rest = items === never ? null : items;
  return {
    kind: "tuple",
    fixedItems,
    rest,
    minItems,
    maxItems: rest ? maxItems : Math.min(maxItems, fixedItems.length),
  };
}

/** `z.json()` is exported as a union of everything. */
function takesAnyJson(alternatives: readonly JsonSchemaObject[], root: JsonSchemaObject): boolean {
  const types = alternatives.map((one) => flatten(one, root)["type"]);
  return (
    ["string", "number", "boolean", "null", "array", "object"].every((type) => types.includes(type)) ||
    alternatives.some((one) => Object.keys(flatten(one, root)).length === 0)
  );
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
