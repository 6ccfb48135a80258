import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { type FormNode, adaptSchema } from "./adapt-schema.ts";
import { type Draft, draftOf, draftOfJson } from "./draft/draft.ts";
import { flatten } from "./resolve-schema.ts";
import { shownOption } from "./shown-option.ts";
import type { UnionOption } from "./union-options.ts";

const maxItems = 5;

/**
 * What a form starts from: defaults filled in, required parts laid out, fixed values set; `undefined` where only a
 * person can say. `isCut` when it came back to a schema that it was in already.
 */
export function emptyDraft(schema: JsonSchemaObject, root: JsonSchemaObject): Draft | undefined {
  return lay({ root, within: new Set(), isCut: false }, schema);
}

/** Something to show where a place must hold a value, such as a new item of a list. */
export function startDraft(schema: JsonSchemaObject, root: JsonSchemaObject, isNullRefused = false): Draft {
  const node = adaptSchema(schema, root);
  const laid =
    isNullRefused && node.isNullable && node.default === null
      ? undefined
      : lay({ root, within: new Set(), isCut: false, isNullRefused }, schema);
  return laid ?? blank(node, root);
}

interface Context {
  root: JsonSchemaObject;
  /** The schemas around: a recursive one is laid out once. */
  within: Set<JsonSchemaObject>;
  isCut: boolean;
  isNullRefused?: boolean;
}

function lay(context: Context, schema: JsonSchemaObject): Draft | undefined {
  const node = adaptSchema(schema, context.root);
  if (node.default !== undefined && !(context.isNullRefused && node.default === null)) return draftOfJson(node.default);
  if (node.isNullable && !context.isNullRefused) return draftOf.nothing();
  const flat = flatten(schema, context.root);
  if (context.within.has(flat)) {
    context.isCut = true;
    return undefined;
  }
  context.isNullRefused = false;
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
 * The first alternative that does not lead back to where it is; else the first. It is noted where what was laid out
 * would look like another.
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
