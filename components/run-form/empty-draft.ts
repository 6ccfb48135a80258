import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { type FormNode, adaptSchema } from "./adapt-schema.ts";
import { type Draft, draftOf, draftOfJson } from "./draft/draft.ts";
import { flatten } from "./resolve-schema.ts";
import { shownOption } from "./shown-option.ts";
import type { UnionOption } from "./union-options.ts";

const maxItems = 5;

/**
 * The initial draft of a schema, with defaults, required parts and fixed values; `undefined`: only a person can enter a
 * value. `isCut` is set when the schema is recursive.
 */
export function emptyDraft(schema: JsonSchemaObject, root: JsonSchemaObject): Draft | undefined {
  return lay({ root, within: new Set(), isCut: false }, schema);
}

/** A draft for a field that needs a value, such as a new item of a list. */
export function startDraft(schema: JsonSchemaObject, root: JsonSchemaObject, isNullExcluded = false): Draft {
  const node = adaptSchema(schema, root);
  const laid =
    isNullExcluded && node.isNullable && node.default === null
      ? undefined
      : lay({ root, within: new Set(), isCut: false, isNullExcluded }, schema);
  return laid ?? blank(node, root);
}

interface Context {
  root: JsonSchemaObject;
  /** The parent schemas: a recursive schema is laid out once. */
  within: Set<JsonSchemaObject>;
  isCut: boolean;
  isNullExcluded?: boolean;
}

function lay(context: Context, schema: JsonSchemaObject): Draft | undefined {
  const node = adaptSchema(schema, context.root);
  if (node.default !== undefined && !(context.isNullExcluded && node.default === null))
    return draftOfJson(node.default);
  if (node.isNullable && !context.isNullExcluded) return draftOf.nothing();
  const flat = flatten(schema, context.root);
  if (context.within.has(flat)) {
    context.isCut = true;
    return undefined;
  }
  context.isNullExcluded = false;
  context.within.add(flat);
  const draft = layKind(context, node);
  context.within.delete(flat);
  return draft;
}

function layKind(context: Context, node: FormNode): Draft | undefined {
  switch (node.kind) {
    case "object":
      return layObject(context, node);
    case "list":
      return draftOf.list(
        Array.from({ length: Math.min(node.minItems, maxItems) }, () => layItem(context, node.items)),
      );
    case "tuple":
      return draftOf.list(node.places.slice(0, Math.max(node.minItems, 0)).map((place) => layItem(context, place)));
    case "union":
      return layUnion(context, node.options);
    case "choice":
      return node.values.length === 1 && node.values[0] !== undefined ? draftOfJson(node.values[0]) : undefined;
    case "boolean":
      return draftOf.boolean(false);
    case "null":
    case "json":
      return draftOf.nothing();
    default:
      return undefined;
  }
}

function layObject(context: Context, node: FormNode & { kind: "object" }): Draft {
  return draftOf.object(
    node.properties.flatMap(({ name, schema, isRequired }) => {
      const hasDefault = adaptSchema(schema, context.root).default !== undefined;
      const draft = isRequired || hasDefault ? lay(context, schema) : undefined;
      return draft ? [[name, draft] as const] : [];
    }),
  );
}

/**
 * The first alternative that is not recursive, else the first one. The choice is stored if the draft would look like
 * another alternative.
 */
function layUnion(context: Context, options: readonly UnionOption[]): Draft | undefined {
  const wasCut = context.isCut;
  for (const [index, option] of options.entries()) {
    context.isCut = false;
    const draft = lay(context, option.schema);
    if (!draft || context.isCut) continue;
    context.isCut = wasCut;
    return shownOption(options, draft, context.root) === index
      ? draft
      : { ...draft, choice: { option: index, kept: {} } };
  }
  context.isCut = true;
  return options[0] && lay(context, options[0].schema);
}

function layItem(context: Context, schema: JsonSchemaObject): Draft {
  return lay(context, schema) ?? blank(adaptSchema(schema, context.root), context.root);
}

function blank(node: FormNode, root: JsonSchemaObject): Draft {
  switch (node.kind) {
    case "object":
      return draftOf.object([]);
    case "list":
    case "tuple":
      return draftOf.list([]);
    case "number":
      return draftOf.number("");
    case "choice":
      return node.values[0] === undefined ? draftOf.nothing() : draftOfJson(node.values[0]);
    case "boolean":
      return draftOf.boolean(false);
    case "union": {
      const first = node.options[0] && adaptSchema(node.options[0].schema, root);
      return {
        ...(first && first.kind !== "union" ? blank(first, root) : draftOf.text("")),
        choice: { option: 0, kept: {} },
      };
    }
    case "text":
      return draftOf.text("");
    default:
      return draftOf.nothing();
  }
}
