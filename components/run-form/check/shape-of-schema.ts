import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { isObject } from "../../../server/domain/schema/json-schema.ts";
import type { JsonType, Shape } from "../../../server/domain/schema/nearest-alternative.ts";
import { asSchema, flatten, listIn, schemasIn } from "../resolve-schema.ts";

const shapes = new WeakMap<JsonSchemaObject, WeakMap<JsonSchemaObject, Shape>>();

/** The parts of an exported schema that measure how near a value is to it. */
export function shapeOfSchema(schema: JsonSchemaObject, root: JsonSchemaObject): Shape {
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
    const required = listIn(flat["required"]);
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
    const places = listIn(flat["prefixItems"]);
    return {
      is: "list",
      itemAt: (index) =>
        index < places.length ? later(places[index])() : flat["items"] === false ? null : later(flat["items"])(),
    };
  }
  const types = listIn(Array.isArray(type) ? type : type === undefined ? [] : [type]).map((one): JsonType =>
    one === "integer" ? "number" : (one as JsonType),
  );
  return types.length > 0 ? { is: "scalar", types } : { is: "any" };
}
