import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { describeSchema } from "../../../server/shared/schema/describe-schema.ts";
import { listOf } from "../../../server/shared/schema/json-schema.ts";
import { printDraft } from "../draft/draft-text.ts";
import { startDraft } from "../draft/new-draft.ts";
import { asSchema, flatten, own, schemasIn, valuesOf } from "./resolve-schema.ts";
import { alternativesOf } from "./union-options.ts";

/** A field that an object may have. */
export interface FieldCompletion {
  name: string;
  isRequired: boolean;
  /** Its type and its conditions in words. */
  detail: string;
  /** The JSON of its first value: `""`, `false`, `{}`. */
  start: string;
}

type Path = readonly (string | number)[];

/** The fields that the schema has for the object at a path, required ones first. */
export function completeFields(root: JsonSchemaObject, path: Path): FieldCompletion[] {
  const found = new Map<string, FieldCompletion>();
  for (const schema of schemasAt(root, path)) {
    const required = listOf(schema["required"]);
    for (const [name, value] of Object.entries(asSchema(schema["properties"]))) {
      const field = asSchema(value);
      const isRequired = required.includes(name);
      if (!found.has(name))
        found.set(name, {
          name,
          isRequired,
          detail: describeSchema(flatten(field, root), root) ?? "",
          start: startOf(field, root),
        });
    }
  }
  return [...found.values()].toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** The fixed values that the schema has at a path, as JSON. */
export function completeValues(root: JsonSchemaObject, path: Path): string[] {
  return [...new Set(schemasAt(root, path).flatMap(fixedValues))];
}

function fixedValues(schema: JsonSchemaObject): string[] {
  const values = valuesOf(schema);
  if (values.length > 0) return values.map((value) => JSON.stringify(value));
  if (schema["type"] === "boolean") return ["true", "false"];
  return schema["type"] === "null" ? ["null"] : [];
}

/** The schemas of the value at a path: one for each alternative of the unions on the way. */
function schemasAt(root: JsonSchemaObject, path: Path): JsonSchemaObject[] {
  return path.reduce<JsonSchemaObject[]>(
    (schemas, step) => schemas.flatMap((schema) => childrenAt(schema, step)).flatMap((one) => expand(one, root)),
    expand(root, root),
  );
}

function expand(schema: JsonSchemaObject, root: JsonSchemaObject): JsonSchemaObject[] {
  const flat = flatten(schema, root);
  const alternatives = alternativesOf(flat, root);
  return alternatives.length === 0 ? [flat] : alternatives.map((one) => flatten(one, root));
}

function childrenAt(schema: JsonSchemaObject, step: string | number): JsonSchemaObject[] {
  const child: Json | undefined =
    typeof step === "number"
      ? (schemasIn(schema["prefixItems"])[step] ?? schema["items"])
      : (own(asSchema(schema["properties"]), step) ?? schema["additionalProperties"]);
  return child === undefined ? [] : [asSchema(child)];
}

/** A number and one of several fixed values have no first value: the cursor stays after the colon. */
function startOf(schema: JsonSchemaObject, root: JsonSchemaObject): string {
  if (expand(schema, root).flatMap(fixedValues).length > 1) return "";
  const draft = startDraft(schema, root);
  if (draft.is === "number" && draft.text === "") return "";
  return draft.is === "object" || draft.is === "list" ? (draft.is === "object" ? "{}" : "[]") : printDraft(draft);
}
