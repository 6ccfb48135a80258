import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { toPointer } from "../../../server/shared/json/json-pointer.ts";
import { isObject, listOf, resolveRef } from "../../../server/shared/schema/json-schema.ts";
import { adaptSchema } from "../schema/adapt-schema.ts";
import {
  type Draft,
  draftToJson,
  isJsonNumber,
  type Item,
  type Member,
  memberOf,
  withoutChoice,
} from "../draft/draft.ts";
import { describeFault, parseDraft } from "../draft/draft-text.ts";
import { asSchema, own, schemasIn } from "../schema/resolve-schema.ts";
import { checkValue, type Issue, messageOf } from "./check-value.ts";
import { type Failed, nearestIssues } from "./nearest-alternative.ts";

/** All validation issues that the server would find with the exported schema, and JSON syntax errors. */
export function checkDraft(schema: JsonSchemaObject, root: JsonSchemaObject, draft: Draft): Issue[] {
  const issues = check({ root, known: new WeakMap() }, schema, draft, "");
  const seen = new Set<string>();
  return issues.filter(
    ({ pointer, message }) => !seen.has(`${pointer} ${message}`) && seen.add(`${pointer} ${message}`),
  );
}

interface Context {
  root: JsonSchemaObject;
  /** A nested union checks the same path again. */
  known: WeakMap<Draft, Map<JsonSchemaObject, Issue[]>>;
}

/** If a person chose an alternative, its issues are returned. */
function check(context: Context, schema: JsonSchemaObject, draft: Draft, pointer: string): Issue[] {
  const { choice } = draft;
  if (!choice) return checkBare(context, schema, draft, pointer);
  const bare = withoutChoice(draft);
  const issues = checkBare(context, schema, bare, pointer);
  const node = adaptSchema(schema, context.root);
  const chosen = issues.length > 0 && node.kind === "union" ? node.options[choice.option] : undefined;
  const chosenIssues = chosen ? checkBare(context, chosen.schema, bare, pointer) : [];
  return chosenIssues.length > 0 ? chosenIssues : issues;
}

function checkBare(context: Context, schema: JsonSchemaObject, draft: Draft, pointer: string): Issue[] {
  const known = context.known.get(draft) ?? new Map<JsonSchemaObject, Issue[]>();
  context.known.set(draft, known);
  const before = known.get(schema);
  if (before) return before;
  // A schema that only refers to itself has no issues.
  known.set(schema, []);
  const issues =
    draft.is === "raw" ? checkRaw(context, schema, draft.text, pointer) : checkParsed(context, schema, draft, pointer);
  known.set(schema, issues);
  return issues;
}

function checkRaw(context: Context, schema: JsonSchemaObject, text: string, pointer: string): Issue[] {
  const { draft, fault } = parseDraft(text);
  if (fault) return [{ pointer, code: "json", message: describeFault(fault).replace(/\.$/, "") }];
  return check(context, schema, draft, pointer);
}

function checkParsed(context: Context, schema: JsonSchemaObject, draft: Draft, pointer: string): Issue[] {
  const target = typeof schema["$ref"] === "string" ? resolveRef(schema["$ref"], context.root) : null;
  const here = isUnfinished(draft)
    ? checkUnfinished(schema, target).map((finding) => ({ pointer, ...finding }))
    : checkValue(schema, shallowValue(schema, draft)).map((finding) => ({ pointer, ...finding }));
  if (here.some(({ code }) => code === "type")) return here;
  return [
    ...(target ? check(context, target, draft, pointer) : []),
    ...here,
    ...schemasIn(schema["allOf"]).flatMap((part, index) =>
      (index === 0 ? check : checkLaterPart)(context, part, draft, pointer),
    ),
    ...checkNot(context, schema, draft, pointer),
    ...checkUnion(context, schema, draft, pointer),
    ...(draft.is === "object" ? checkMembers(context, schema, draft.members, pointer) : []),
    ...(draft.is === "list" ? checkItems(context, schema, draft.items, pointer) : []),
  ];
}

/** An incomplete number. It matches no schema, even if its text would match. */
function isUnfinished(draft: Draft): boolean {
  return draft.is === "number" && !isJsonNumber(draft.text);
}

/** Empty if the parts of the schema report it. */
function checkUnfinished(
  schema: JsonSchemaObject,
  target: JsonSchemaObject | null,
): { code: string; message: string }[] {
  const keyword = ["const", "enum", "type"].find((one) => schema[one] !== undefined);
  if (keyword !== undefined) return [{ code: keyword, message: messageOf(keyword, schema) }];
  const hasParts = target !== null || ["allOf", "anyOf", "oneOf"].some((one) => schemasIn(schema[one]).length > 0);
  return hasParts ? [] : [{ code: "type", message: "Must be a number" }];
}

/** The value without its children, unless a keyword validates them as a whole. */
function shallowValue(schema: JsonSchemaObject, draft: Draft): Json {
  if (
    ["const", "enum", "uniqueItems", "contains", "minProperties", "maxProperties", "dependentRequired", "if"].some(
      (keyword) => schema[keyword] !== undefined,
    )
  )
    return draftToJson(draft);
  if (draft.is === "object") return {};
  return draft.is === "list" ? Array.from({ length: draft.items.length }, () => null) : draftToJson(draft);
}

/**
 * The later parts of a pipe validate the output of the earlier ones. The export does not contain that a string is
 * trimmed or that its case changes.
 */
function checkLaterPart(context: Context, part: JsonSchemaObject, draft: Draft, pointer: string): Issue[] {
  const issues = check(context, part, draft, pointer);
  const hasType = part["type"] !== undefined || part["$ref"] !== undefined;
  if (issues.length === 0 || draft.is !== "string" || !hasType) return issues;
  const trimmed = draft.text.trim();
  const forms = [trimmed, trimmed.toLowerCase(), trimmed.toUpperCase()];
  return forms.some((text) => check(context, part, { is: "string", text }, pointer).length === 0) ? [] : issues;
}

function checkNot(context: Context, { not }: JsonSchemaObject, draft: Draft, pointer: string): Issue[] {
  if (not === undefined || check(context, asSchema(not), draft, pointer).length > 0) return [];
  return [{ pointer, code: "not", message: "Must be absent" }];
}

function checkUnion(context: Context, schema: JsonSchemaObject, draft: Draft, pointer: string): Issue[] {
  const explain = (failed: readonly Failed[]) =>
    nearestIssues(failed, { root: context.root, value: draftToJson(draft), pointer });
  const fitting = (keyword: string) =>
    schemasIn(schema[keyword]).map((one): Failed => ({ schema: one, issues: check(context, one, draft, pointer) }));
  const any = fitting("anyOf");
  const one = fitting("oneOf");
  const fits = one.filter(({ issues }) => issues.length === 0).length;
  if (fits > 1) return [{ pointer, code: "oneOf", message: "Must match exactly one of the alternatives" }];
  return [
    ...(any.length === 0 || any.some(({ issues }) => issues.length === 0) ? [] : explain(any)),
    ...(one.length === 0 || fits === 1 ? [] : explain(one)),
  ];
}

function checkMembers(
  context: Context,
  schema: JsonSchemaObject,
  members: readonly Member[],
  pointer: string,
): Issue[] {
  const draft: Draft = { is: "object", members: [...members] };
  const missing = listOf(schema["required"])
    .map(String)
    .filter((name) => !memberOf(draft, name));
  return [
    ...missing.map((name) => ({ pointer: pointer + toPointer([name]), code: "required", message: "Required" })),
    ...members.flatMap((member) => checkMember(context, schema, member, pointer + toPointer([member.key]))),
  ];
}

function checkMember(context: Context, schema: JsonSchemaObject, { key, draft }: Member, pointer: string): Issue[] {
  const names = schema["propertyNames"];
  const ofName =
    names === undefined
      ? []
      : check(context, asSchema(names), { is: "string", text: key }, pointer).map(({ code, message }) => ({
          pointer,
          code,
          message: `Key ${JSON.stringify(key)}: ${message.replace(/^M/, "m")}`,
        }));
  const named = own(asSchema(schema["properties"]), key);
  const matching = Object.entries(asSchema(schema["patternProperties"])).flatMap(([pattern, value]) =>
    new RegExp(pattern, "u").test(key) ? [asSchema(value)] : [],
  );
  const schemas = [...(named === undefined ? [] : [asSchema(named)]), ...matching];
  const { additionalProperties } = schema;
  if (schemas.length > 0 || additionalProperties === undefined)
    return [...ofName, ...schemas.flatMap((one) => check(context, one, draft, pointer))];
  if (additionalProperties === false)
    return [...ofName, { pointer, code: "additionalProperties", message: "Unknown field" }];
  return [...ofName, ...check(context, asSchema(additionalProperties), draft, pointer)];
}

function checkItems(context: Context, schema: JsonSchemaObject, items: readonly Item[], pointer: string): Issue[] {
  const fixedItems = schemasIn(schema["prefixItems"]);
  const rest = schema["items"];
  return items.flatMap(({ draft }, index) => {
    const own = fixedItems[index];
    if (own === undefined && rest === false)
      return [{ pointer: pointer + toPointer([index]), code: "items", message: "Too many items" }];
    return check(context, own ?? (isObject(rest) ? rest : {}), draft, pointer + toPointer([index]));
  });
}
