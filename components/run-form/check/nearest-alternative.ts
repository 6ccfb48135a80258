import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { toPointer } from "../../../server/shared/json/json-pointer.ts";
import { isObject, listOf } from "../../../server/shared/schema/json-schema.ts";
import {
  compareAlternatives,
  compareDistances,
  type JsonType,
  type Shape,
} from "../../../server/shared/schema/nearest-alternative.ts";
import { asSchema, flatten, schemasIn } from "../schema/resolve-schema.ts";
import type { Issue } from "./check-value.ts";

const shapes = new WeakMap<JsonSchemaObject, WeakMap<JsonSchemaObject, Shape>>();

/** One alternative of a union, and its issues for a value. */
export interface Failed {
  schema: JsonSchemaObject;
  issues: readonly Issue[];
}

interface Context {
  root: JsonSchemaObject;
  value: Json;
  pointer: string;
}

/** The issues of the nearest alternative, if all alternatives fail. Uses the server's rule to choose it. */
export function nearestIssues(alternatives: readonly Failed[], context: Context): Issue[] {
  const { pointer } = context;
  const lists = alternatives.map(({ issues }) => issues);
  if (lists.length === 0) return [];
  if (lists.every((issues) => issues.every((issue) => issue.pointer === pointer))) return [joinIssues(lists, pointer)];
  const { index, unmet } = compare(alternatives, context);
  const unmetPointer = unmet && pointer + toPointer(unmet.path);
  const unmetIssues =
    unmetPointer === null
      ? []
      : lists
          .map((issues) => issues.filter((issue) => issue.pointer === unmetPointer))
          .filter((issues) => issues.length > 0);
  if (unmetPointer !== null && unmetIssues.length > 0) return [joinIssues(unmetIssues, unmetPointer)];
  return [...(lists[index] ?? [])];
}

/** The index of the alternative nearest to a value. */
export function nearestIndex(alternatives: readonly Failed[], context: Omit<Context, "pointer">): number {
  return compare(alternatives, context).index;
}

function compare(alternatives: readonly Failed[], { root, value }: Omit<Context, "pointer">) {
  const { distances, unmet } = compareAlternatives(
    alternatives.map(({ schema }) => shapeOfSchema(schema, root)),
    value,
  );
  const ranked = alternatives.map(({ issues }, index) => ({
    index,
    distance: [...(distances[index] ?? []), issues.length],
  }));
  const [first] = ranked.toSorted((a, b) => compareDistances(a.distance, b.distance));
  return { index: first?.index ?? 0, unmet };
}

/** Joins the issues at one path: lists what each alternative accepts. */
function joinIssues(alternatives: readonly (readonly Issue[])[], pointer: string): Issue {
  const messages = [...new Set(alternatives.flatMap((issues) => issues.slice(0, 1).map(({ message }) => message)))];
  const areAlike = messages.every((message) => message.startsWith("Must be "));
  const message = areAlike
    ? messages.map((message, index) => (index === 0 ? message : message.replace("Must be ", ""))).join(" or ")
    : messages.join(", or ");
  return { pointer, code: messages.length === 1 ? (alternatives[0]?.[0]?.code ?? "union") : "union", message };
}

/** The parts of an exported schema that measure how near a value is to it. */
function shapeOfSchema(schema: JsonSchemaObject, root: JsonSchemaObject): Shape {
  const known = shapes.get(root) ?? new WeakMap<JsonSchemaObject, Shape>();
  shapes.set(root, known);
  const before = known.get(schema);
  if (before) return before;
  const shape = read(flatten(schema, root), root);
  known.set(schema, shape);
  return shape;
}

function read(flat: JsonSchemaObject, root: JsonSchemaObject): Shape {
  const later = (schema: Json | undefined) => () => shapeOfSchema(asSchema(schema), root);
  if (flat["const"] !== undefined) return { is: "fixed", values: [flat["const"]] };
  if (Array.isArray(flat["enum"])) return { is: "fixed", values: flat["enum"] };
  const options = [...schemasIn(flat["anyOf"]), ...schemasIn(flat["oneOf"])];
  if (options.length > 0) return { is: "union", options: options.map(later) };
  const { type, properties, additionalProperties } = flat;
  if (type === "object" || (type === undefined && isObject(properties))) {
    const required = listOf(flat["required"]);
    const fields = Object.entries(isObject(properties) ? properties : {}).map(
      ([name, field]) => [name, { shape: later(field), isRequired: required.includes(name) }] as const,
    );
    return {
      is: "object",
      fields: new Map(fields),
      rest:
        isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
          ? later(additionalProperties)
          : null,
    };
  }
  if (type === "array") {
    const fixedItems = listOf(flat["prefixItems"]);
    return {
      is: "list",
      itemAt: (index) =>
        index < fixedItems.length
          ? later(fixedItems[index])()
          : flat["items"] === false
            ? null
            : later(flat["items"])(),
    };
  }
  const types = listOf(Array.isArray(type) ? type : type === undefined ? [] : [type]).map((one): JsonType =>
    one === "integer" ? "number" : (one as JsonType),
  );
  return types.length > 0 ? { is: "scalar", types } : { is: "any" };
}
