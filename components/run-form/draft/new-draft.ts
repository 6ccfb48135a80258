import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { checkDraft } from "../check/check-draft.ts";
import { type Failed, nearestIndex } from "../check/nearest-alternative.ts";
import { adaptSchema, type FormNode } from "../schema/adapt-schema.ts";
import { flatten } from "../schema/resolve-schema.ts";
import type { UnionOption } from "../schema/union-options.ts";
import { type Draft, draftOf, draftOfJson, draftToJson, memberOf, withMember, withoutChoice } from "./draft.ts";

const maxItems = 5;

/**
 * The initial draft of a schema, with defaults, required parts and fixed values; `undefined`: only a person can enter a
 * value. `isCut` is set when the schema is recursive.
 */
export function emptyDraft(schema: JsonSchemaObject, root: JsonSchemaObject): Draft | undefined {
  return build({ root, within: new Set(), isCut: false }, schema);
}

/** A draft for a field that needs a value, such as a new item of a list. */
export function startDraft(schema: JsonSchemaObject, root: JsonSchemaObject, isNullExcluded = false): Draft {
  const node = adaptSchema(schema, root);
  const built =
    isNullExcluded && node.isNullable && node.default === null
      ? undefined
      : build({ root, within: new Set(), isCut: false, isNullExcluded }, schema);
  return built ?? blank(node, root);
}

interface Context {
  root: JsonSchemaObject;
  /** The parent schemas: a recursive schema is built out once. */
  within: Set<JsonSchemaObject>;
  isCut: boolean;
  isNullExcluded?: boolean;
}

function build(context: Context, schema: JsonSchemaObject): Draft | undefined {
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
  const draft = buildKind(context, node);
  context.within.delete(flat);
  return draft;
}

function buildKind(context: Context, node: FormNode): Draft | undefined {
  switch (node.kind) {
    case "object":
      return buildObject(context, node);
    case "list":
      return draftOf.list(
        Array.from({ length: Math.min(node.minItems, maxItems) }, () => buildItem(context, node.items)),
      );
    case "tuple":
      return draftOf.list(
        node.fixedItems.slice(0, Math.max(node.minItems, 0)).map((place) => buildItem(context, place)),
      );
    case "union":
      return buildUnion(context, node.options);
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

function buildObject(context: Context, node: FormNode & { kind: "object" }): Draft {
  return draftOf.object(
    node.properties.flatMap(({ name, schema, isRequired }) => {
      const hasDefault = adaptSchema(schema, context.root).default !== undefined;
      const draft = isRequired || hasDefault ? build(context, schema) : undefined;
      return draft ? [[name, draft] as const] : [];
    }),
  );
}

/**
 * The first alternative that is not recursive, else the first one. The choice is stored if the draft would look like
 * another alternative.
 */
function buildUnion(context: Context, options: readonly UnionOption[]): Draft | undefined {
  const wasCut = context.isCut;
  for (const [index, option] of options.entries()) {
    context.isCut = false;
    const draft = build(context, option.schema);
    if (!draft || context.isCut) continue;
    context.isCut = wasCut;
    return shownOption(options, draft, context.root) === index
      ? draft
      : { ...draft, choice: { option: index, kept: {} } };
  }
  context.isCut = true;
  return options[0] && build(context, options[0].schema);
}

function buildItem(context: Context, schema: JsonSchemaObject): Draft {
  return build(context, schema) ?? blank(adaptSchema(schema, context.root), context.root);
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

/** The alternative that a field shows: the one a person chose, else the first that matches, else the nearest. */
export function shownOption(options: readonly UnionOption[], draft: Draft, root: JsonSchemaObject): number {
  const chosen = draft.choice?.option;
  if (chosen !== undefined && chosen < options.length) return chosen;
  const failed: Failed[] = [];
  for (const [index, { schema }] of options.entries()) {
    const issues = checkDraft(schema, root, draft);
    if (issues.length === 0) return index;
    failed.push({ schema, issues });
  }
  return nearestIndex(failed, { root, value: draftToJson(draft) });
}

/** Switches to another alternative, and keeps the values of the previous one. */
export function switchOption({
  options,
  draft,
  to,
  root,
}: {
  options: readonly UnionOption[];
  draft: Draft;
  to: number;
  root: JsonSchemaObject;
}): Draft {
  const from = shownOption(options, draft, root);
  const option = options[to];
  if (!option || from === to) return draft;
  const kept: Record<string, Draft> = {
    ...draft.choice?.kept,
    ...(draft.is !== "null" && { [from]: withoutChoice(draft) }),
  };
  const next = kept[to] ?? takeOver(startDraft(option.schema, root), draft, option.schema, root);
  return { ...next, choice: { option: to, kept } };
}

/** Sets a nullable field to `null`, or back to its previous value. */
export function switchNull({
  schema,
  draft,
  isNull,
  root,
}: {
  schema: JsonSchemaObject;
  draft: Draft;
  isNull: boolean;
  root: JsonSchemaObject;
}): Draft {
  const node = adaptSchema(schema, root);
  const options = node.kind === "union" ? node.options : [{ title: "", schema }];
  const option = draft.choice?.option ?? (draft.is === "null" ? 0 : shownOption(options, draft, root));
  const before: Record<string, Draft> = draft.choice?.kept ?? {};
  if (isNull) return { is: "null", choice: { option, kept: { ...before, [option]: withoutChoice(draft) } } };
  const next = before[option] ?? startDraft(schema, root, true);
  return { ...next, choice: { option, kept: before } };
}

/** Common fields keep their values if they are valid in the new alternative. */
function takeOver(next: Draft, before: Draft, schema: JsonSchemaObject, root: JsonSchemaObject): Draft {
  const node = adaptSchema(schema, root);
  if (node.kind !== "object" || next.is !== "object") return next;
  return node.properties.reduce<Draft>((draft, property) => {
    const value = memberOf(before, property.name)?.draft;
    if (!value || checkDraft(property.schema, root, value).length > 0) return draft;
    return withMember(draft, property.name, value);
  }, next);
}
