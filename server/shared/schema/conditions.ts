import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { type FieldPart, fieldParts } from "../../contract/request-parts.ts";
import { type Facts, factsOf, firstOf, propertiesOf } from "./facts-of.ts";
import { asSchema, isObject } from "./json-schema.ts";
import {
  describeChoice,
  describeNumberBounds,
  describeSizes,
  describeString,
  describeType,
  withArticle,
} from "./describe-schema.ts";
import { visibleText } from "./visible-text.ts";

/**
 * The condition for one path. A lower rank is more specific: fixed values, then bounds, then formats and sizes, then
 * types.
 */
interface ConditionText {
  words: string;
  rank: number;
}

const ranks = { fixed: 0, bound: 1, format: 2, size: 2, type: 3, presence: 4 };

/** The name of the whole body, for a condition without a path. */
const wholeBody = "the body";

const itemStep = "[]";
const anyKeyStep = "*";

/**
 * The condition for one path of the body, or for a header or a parameter, in words: `type` `is invoice.paid`, `header
 * x-event` `is paid`, `query topic` `is refunds`. The path is empty for `and 3 more`.
 */
export interface Condition {
  path: string;
  words: string;
}

interface Found extends ConditionText {
  path: string;
}

/** Limits the walk: shared schemas may be visited many times. */
const maxVisits = 400;
const maxDepth = 12;

/**
 * The conditions of a trigger. Those on its headers and its query are first. Those of its filter follow, with the fixed
 * values of its request, most specific first; without a filter, those of the request. At most `limit` conditions, and
 * one more with the number of omitted ones.
 */
export function conditionsOf(
  {
    request,
    filter,
    ...fields
  }: { request: JsonSchemaObject; filter: JsonSchemaObject | null } & Partial<
    Record<FieldPart, JsonSchemaObject | null>
  >,
  limit = 3,
): Condition[] {
  const ofFields = fieldParts.flatMap((part) => {
    const schema = fields[part];
    return schema ? find(schema, true).flatMap((one) => fieldCondition(part, one, schema)) : [];
  });
  const asked = filter ? find(filter, true) : [];
  const needed = find(request, false);
  const fixed = needed.filter(({ rank, path }) => rank === ranks.fixed && asked.every((one) => one.path !== path));
  const found = [...ofFields, ...(asked.length > 0 ? [...asked, ...fixed] : needed)];
  const shown = found.slice(0, limit).map(({ path, words }) => ({ path, words }));
  const more = found.length - shown.length;
  return more > 0 ? [...shown, { path: "", words: `and ${more} more` }] : shown;
}

const fieldWords: Record<FieldPart, string> = { headers: "header", query: "query" };
const wholePart: Record<FieldPart, string> = { headers: "the headers", query: "the query" };

/** The headers and the query are always objects, so this type alone is no condition. A union of shapes is one. */
function fieldCondition(part: FieldPart, condition: Found, schema: JsonSchemaObject): Found[] {
  if (condition.path !== wholeBody) return [{ ...condition, path: `${fieldWords[part]} ${condition.path}` }];
  const isPlainObject = condition.rank === ranks.type && factsOf(schema, schema).unions.length === 0;
  return isPlainObject ? [] : [{ ...condition, path: wholePart[part] }];
}

interface Walk {
  root: JsonSchemaObject;
  /** Includes optional fields. */
  withOptional: boolean;
  found: Found[];
  /** Shared by the whole walk. */
  visits: { left: number };
  /** The schemas that contain this path: a schema that appears again contains itself. */
  around: ReadonlySet<JsonSchemaObject>;
  steps: readonly string[];
}

function find(root: JsonSchemaObject, withOptional: boolean): Found[] {
  const found: Found[] = [];
  walkSchema(root, { root, withOptional, found, visits: { left: maxVisits }, around: new Set(), steps: [] });
  const telling = found.some(({ rank }) => rank < ranks.presence)
    ? found
    : found.filter(({ path }) => path !== bodyPath([]));
  return telling.toSorted((one, other) => one.rank - other.rank);
}

/** Describes this path or, if they are more specific, the paths inside it. */
function walkSchema(schema: JsonSchemaObject, walk: Walk): void {
  if (walk.visits.left-- <= 0) return;
  const facts = factsOf(schema, walk.root);
  const isDeep = walk.steps.length > maxDepth || facts.parts.some((part) => walk.around.has(part));
  const before = walk.found.length;
  if (!isDeep && facts.values === null && !facts.isNullable)
    findInside(facts, { ...walk, around: new Set([...walk.around, ...facts.parts]) });
  const own = describeCondition(facts, walk.root);
  if (walk.found.length === before || own.rank < ranks.type) walk.found.push({ path: bodyPath(walk.steps), ...own });
}

function findInside(facts: Facts, walk: Walk): void {
  for (const { name, schema, isRequired } of propertiesOf(facts)) {
    if (isRequired) walkSchema(schema, { ...walk, steps: [...walk.steps, keyStep(name)] });
    else if (walk.withOptional) findOptional(schema, name, walk);
  }
  const items = firstOf(facts, "items");
  if (isObject(items)) findSpecific(items, { ...walk, steps: [...walk.steps, itemStep] });
  const values = asSchema(firstOf(facts, "additionalProperties"));
  if (values && isObject(firstOf(facts, "additionalProperties")))
    findSpecific(values, { ...walk, steps: [...walk.steps, anyKeyStep] });
  if (facts.parts.some((part) => part["additionalProperties"] === false))
    walk.found.push({ path: bodyPath(walk.steps), words: "has no other keys", rank: ranks.presence });
  for (const union of facts.unions) walk.found.push(...discriminators(union, walk));
}

/** The conditions of an optional field of a filter, which apply if it is present. */
function findOptional(schema: JsonSchemaObject, name: string, walk: Walk): void {
  const inner: Found[] = [];
  walkSchema(schema, { ...walk, found: inner, steps: [...walk.steps, keyStep(name)] });
  for (const one of inner)
    if (one.rank <= ranks.size)
      walk.found.push({ ...one, words: `${one.words}, if present`, rank: Math.max(one.rank, ranks.format) });
}

/** The conditions of items, and of the values of a record, beyond their type. */
function findSpecific(schema: JsonSchemaObject, walk: Walk): void {
  const inner: Found[] = [];
  walkSchema(schema, { ...walk, found: inner });
  walk.found.push(...inner.filter(({ rank }) => rank <= ranks.size));
}

/** The discriminator of a union, with all its values: `type` `is a or b`. */
function discriminators(union: JsonSchemaObject[], walk: Walk): Found[] {
  const shapes = union.map(
    (choice) =>
      new Map(
        propertiesOf(factsOf(choice, walk.root))
          .filter(({ isRequired }) => isRequired)
          .map(({ name, schema }) => [name, factsOf(schema, walk.root).values]),
      ),
  );
  const [first, ...others] = shapes;
  for (const [name, values] of first ?? []) {
    const all: (Json[] | null | undefined)[] = [values, ...others.map((shape) => shape.get(name))];
    if (!all.every((one) => Array.isArray(one) && one.length > 0)) continue;
    const choices = [...new Set(all.flatMap((one) => one ?? []))];
    return [
      { path: bodyPath([...walk.steps, keyStep(name)]), words: `is ${describeChoice(choices)}`, rank: ranks.fixed },
    ];
  }
  return [];
}

/**
 * A path in a body in its usual notation: `customer.email`, `items[].sku`, `prices.*`. A key with unusual characters is
 * in quotes.
 */
export function bodyPath(steps: readonly string[]): string {
  if (steps.length === 0) return wholeBody;
  const text = steps.map((step, index) => (step.startsWith("[") || index === 0 ? step : `.${step}`)).join("");
  return visibleText(text, 80);
}

export function keyStep(name: string): string {
  return /^[\p{L}\p{N}_$@-]+$/u.test(name)
    ? visibleText(name, 60)
    : `[${visibleText(JSON.stringify(name.slice(0, 60)), 60)}]`;
}

function describeCondition(facts: Facts, root: JsonSchemaObject): ConditionText {
  const orNull = facts.isNullable ? " or null" : "";
  if (facts.isNever) return { words: "must be absent", rank: ranks.fixed };
  if (facts.values)
    return {
      words: visibleText(facts.values.length === 0 ? "is null" : `is ${describeChoice(facts.values)}${orNull}`, 120),
      rank: ranks.fixed,
    };
  const text = describeString(facts);
  const checks = [
    ...describeNumberBounds(facts).map((words) => ({
      words: words.replace(/^a multiple/, "is a multiple"),
      rank: ranks.bound,
    })),
    ...text.patterns.map((words) => ({ words, rank: words.startsWith("matches") ? ranks.format : ranks.bound })),
    ...text.formats.map((words) => ({ words: `is ${words}`, rank: ranks.format })),
    ...(firstOf(facts, "prefixItems") === undefined ? describeSizes(facts).map(sizeWords) : []),
  ].slice(0, 4);
  if (checks.length === 0) return describeKind(facts, root);
  return {
    words: visibleText(`${checks.map(({ words }) => words).join(" and ")}${orNull}`, 120),
    rank: Math.min(...checks.map(({ rank }) => rank)),
  };
}

function sizeWords(size: string): ConditionText {
  return { words: size === "not empty" ? "is not empty" : `has ${size}`, rank: ranks.size };
}

function describeKind(facts: Facts, root: JsonSchemaObject): ConditionText {
  const noun = describeType(facts, root);
  if (noun === "anything") return { words: "is present", rank: ranks.presence };
  if (noun === "boolean") return { words: "is true or false", rank: ranks.type };
  return { words: `is ${withArticle(noun)}`, rank: ranks.type };
}
