import type { JsonSchemaObject } from "../../contract/json.ts";
import { factsOf, propertiesOf } from "./facts-of.ts";

/** A header or a parameter that the `headers` or `query` schema of a trigger names. */
export interface NamedField {
  name: string;
  schema: JsonSchemaObject;
  isRequired: boolean;
  /** `list`: the schema accepts an array, so it receives all values; `other`: it accepts neither a string nor an array. */
  takes: "text" | "list" | "other";
}

/** The fields that such a schema names, in their order. Alternatives count like one schema with the fields of all. */
export function namedFields(schema: JsonSchemaObject): NamedField[] {
  const fields = new Map<string, NamedField>();
  for (const each of objectsOf(schema, schema)) {
    for (const { name, schema: value, isRequired } of propertiesOf(factsOf(each, schema))) {
      const known = fields.get(name);
      const takes = widest(known?.takes ?? "other", takesOf(value, schema));
      fields.set(name, known ? { ...known, takes } : { name, schema: value, isRequired, takes });
    }
  }
  return [...fields.values()];
}

/** The names of the fields that a schema receives as arrays. */
export function namedLists(schema: JsonSchemaObject): string[] {
  return namedFields(schema).flatMap(({ name, takes }) => (takes === "list" ? [name] : []));
}

/** Whether each alternative is an object. */
export function isObjectSchema(schema: JsonSchemaObject): boolean {
  return objectsOf(schema, schema).every((each) => {
    const facts = factsOf(each, schema);
    return facts.unions.length > 0 || facts.types.includes("object");
  });
}

/** Whether an alternative rejects fields that it does not name. */
export function isClosed(schema: JsonSchemaObject): boolean {
  return objectsOf(schema, schema).some((each) =>
    factsOf(each, schema).parts.some(
      ({ additionalProperties: others }) => others !== undefined && others !== true && !isEmpty(others),
    ),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

const maxDepth = 8;

/** The schema itself and the alternatives in it. */
function objectsOf(schema: JsonSchemaObject, root: JsonSchemaObject, depth = 0): JsonSchemaObject[] {
  if (depth > maxDepth) return [];
  const { unions } = factsOf(schema, root);
  return [schema, ...unions.flat().flatMap((choice) => objectsOf(choice, root, depth + 1))];
}

function takesOf(schema: JsonSchemaObject, root: JsonSchemaObject): NamedField["takes"] {
  return objectsOf(schema, root)
    .map((each) => {
      const { types, values } = factsOf(each, root);
      const isText = values ? values.some((value) => typeof value === "string") : types.includes("string");
      return types.includes("array") ? "list" : isText ? "text" : "other";
    })
    .reduce<NamedField["takes"]>(widest, "other");
}

const widths = ["other", "text", "list"] as const;

function widest(one: NamedField["takes"], other: NamedField["takes"]): NamedField["takes"] {
  return widths.indexOf(one) > widths.indexOf(other) ? one : other;
}
