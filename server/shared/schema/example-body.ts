import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { exampleString } from "./example-string.ts";
import { type Facts, factsOf, firstOf, propertiesOf, tightest } from "./facts-of.ts";
import { isObject, listOf, resolveRef, schemasOf } from "./json-schema.ts";

/** Of a body: a schema with shared shapes can require an unlimited one. */
const maxValues = 20_000;
/** Of the search: the schemas that are looked at. */
const maxSteps = 20_000;
/** Schemas around one. Bodies that are nested deeper than 512 are rejected. */
const maxAround = 2_000;

interface Making {
  root: JsonSchemaObject;
  /** The schemas around this one: one that appears again contains itself. */
  around: ReadonlySet<JsonSchemaObject>;
  /** Shared by the whole body. */
  found: Map<JsonSchemaObject, Example>;
  left: { steps: number };
}

/** `size`: the number of values in it. */
interface Example {
  value: Json;
  size: number;
}

const tooLarge: Example = { value: null, size: Infinity };

/**
 * Creates an example body for a trigger: the fields that `request` requires, and in addition those that `filter`
 * requires. It is a draft to edit, and may not match.
 */
export function exampleBody(request: JsonSchemaObject, filter: JsonSchemaObject | null): Json {
  const body = exampleOf(request);
  return filter ? overlay(body, exampleOf(filter)) : body;
}

function exampleOf(root: JsonSchemaObject): Json {
  const making: Making = { root, around: new Set(), found: new Map(), left: { steps: maxSteps } };
  const made = example(root, making);
  return made && made !== tooLarge ? made.value : draftOf(root, making);
}

/** What there is an example of, if there is none of the whole body. */
function draftOf(root: JsonSchemaObject, making: Making): Json {
  const facts = factsOf(root, root);
  if (facts.types.includes("array")) return [];
  if (facts.types.includes("string")) return "";
  if (!facts.types.includes("object")) return null;
  const fields = requiredFields(facts).flatMap(([name, schema]): [string, Json][] => {
    const made = example(schema, { ...making, left: { steps: maxSteps } });
    return made && made !== tooLarge ? [[name, made.value]] : [];
  });
  return Object.fromEntries(fields);
}

/** `null`: there is none, because the schema contains itself in each. */
function example(schema: JsonSchemaObject, making: Making): Example | null {
  const known = making.found.get(schema);
  if (known) return known;
  const facts = factsOf(schema, making.root);
  const given = facts.values ? (facts.values[0] ?? null) : givenValue(schema, making.root);
  if (given !== undefined) return scalar(given);
  const whole = makeValue(facts, making);
  const made = facts.isNullable && (whole === null || whole === tooLarge) ? scalar(null) : whole;
  if (made) making.found.set(schema, made);
  return made;
}

function makeValue(facts: Facts, making: Making): Example | null {
  const isInside = facts.parts.some((part) => making.around.has(part));
  if (isInside || making.around.size > maxAround || making.left.steps-- <= 0) return null;
  const inner = { ...making, around: new Set([...making.around, ...facts.parts]) };
  const own = ofType(facts, inner);
  // If there are choices, the first one with an example is used, together with the unconditional schemas.
  return facts.unions.reduce<Example | null>((body, choices) => {
    const chosen = firstExample(choices, facts, inner);
    return body && chosen && joined(overlay(body.value, chosen.value), [body, chosen]);
  }, own);
}

function firstExample(choices: readonly JsonSchemaObject[], facts: Facts, making: Making): Example | null {
  if (choices.length === 0) return scalar(null);
  let last: Example | null = null;
  for (const choice of choices) {
    const made = isImpossible(choice, making.root) ? null : example(withType(choice, facts), making);
    if (made && made !== tooLarge) return made;
    last ??= made;
  }
  return last;
}

function joined(value: Json, parts: readonly Example[]): Example {
  const size = parts.reduce((sum, part) => sum + part.size, 1);
  return size > maxValues ? tooLarge : { value, size };
}

/** Whether no value matches, or no value matches a required field. */
function isImpossible(schema: JsonSchemaObject, root: JsonSchemaObject): boolean {
  const facts = factsOf(schema, root);
  return (
    facts.isNever ||
    propertiesOf(facts).some((property) => property.isRequired && factsOf(property.schema, root).isNever)
  );
}

/** The default or the first example of the schema itself, or of its only alternative: not of a part of an `allOf`. */
function givenValue(schema: JsonSchemaObject, root: JsonSchemaObject): Json | undefined {
  const seen = new Set<JsonSchemaObject>();
  for (let at: JsonSchemaObject | null = schema; at && !seen.has(at); at = onlyAlternative(at, root)) {
    seen.add(at);
    const given: Json | undefined = at["default"] ?? listOf(at["examples"])[0];
    if (given !== undefined) return given;
  }
  return undefined;
}

function onlyAlternative(schema: JsonSchemaObject, root: JsonSchemaObject): JsonSchemaObject | null {
  const { $ref, allOf, anyOf } = schema;
  if (allOf !== undefined) return null;
  if (typeof $ref === "string") return resolveRef($ref, root);
  const [only, ...others] = schemasOf(anyOf).filter(({ type }) => type !== "null");
  return only && others.length === 0 ? only : null;
}

/** Zod 3 exports the type beside the choices, not in them. */
function withType(choice: JsonSchemaObject, facts: Facts): JsonSchemaObject {
  return choice["type"] === undefined && choice["$ref"] === undefined && facts.types.length === 1
    ? { type: facts.types[0] ?? "string", ...choice }
    : choice;
}

function scalar(value: Json): Example {
  return { value, size: 1 };
}

function ofType(facts: Facts, making: Making): Example | null {
  switch (facts.types[0]) {
    case "string":
      return scalar(exampleString(facts));
    case "integer":
    case "number":
      return scalar(exampleNumber(facts));
    case "boolean":
      return scalar(true);
    case "array":
      return exampleList(facts, making);
    case "object":
      return exampleObject(facts, making);
    default:
      if (facts.parts.some(({ pattern }) => pattern !== undefined)) return scalar(exampleString(facts));
      return firstOf(facts, "properties") === undefined ? scalar(null) : exampleObject(facts, making);
  }
}

function exampleList(facts: Facts, making: Making): Example | null {
  const least = Math.min(tightest(facts, "minItems", Math.max) ?? 0, 100);
  const prefix = schemasOf(firstOf(facts, "prefixItems"));
  const items = firstOf(facts, "items");
  const others = isObject(items) ? Array.from({ length: Math.max(least - prefix.length, 0) }, () => items) : [];
  const found = [...prefix, ...others].map((item) => example(item, making));
  const end = found.indexOf(null);
  if (end !== -1 && end < least) return null;
  const made = found.slice(0, end === -1 ? undefined : end).filter((each) => each !== null);
  return joined(
    made.map(({ value }) => value),
    made,
  );
}

function exampleObject(facts: Facts, making: Making): Example | null {
  const fields = requiredFields(facts);
  const made = fields.map(([, schema]) => example(schema, making)).filter((each) => each !== null);
  if (made.length < fields.length) return null;
  return joined(Object.fromEntries(fields.map(([name], at): [string, Json] => [name, made[at]?.value ?? null])), made);
}

/** Required properties; for a record, also the required keys. */
function requiredFields(facts: Facts): [string, JsonSchemaObject][] {
  const named = propertiesOf(facts);
  const other = firstOf(facts, "additionalProperties");
  const required = new Set(facts.parts.flatMap((part) => listOf(part["required"])));
  for (const { name } of named) required.delete(name);
  return [
    ...named.flatMap(({ name, schema, isRequired }): [string, JsonSchemaObject][] =>
      isRequired ? [[name, schema]] : [],
    ),
    ...[...required].map((name): [string, JsonSchemaObject] => [String(name), isObject(other) ? other : {}]),
  ];
}

/** `over` takes precedence; objects are merged. Unknown values leave the existing ones. */
function overlay(under: Json, over: Json): Json {
  if (!isObject(under) || !isObject(over)) return over === null ? under : over;
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [low, high] = [own(under, name), own(over, name)];
      return [name, high === undefined ? (low ?? null) : low === undefined ? high : overlay(low, high)];
    }),
  );
}

function own(object: JsonSchemaObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A number within the bounds, as simple as possible. */
function exampleNumber(facts: Facts): number {
  const isInteger = facts.types[0] === "integer";
  const step = stepOf(facts) ?? (isInteger ? 1 : null);
  const min = Math.max(
    tightest(facts, "minimum", Math.max) ?? -Infinity,
    above(tightest(facts, "exclusiveMinimum", Math.max), step),
  );
  const max = Math.min(
    tightest(facts, "maximum", Math.min) ?? Infinity,
    -above(negative(tightest(facts, "exclusiveMaximum", Math.min)), step),
  );
  const wanted = isInteger ? 1 : 1.5;
  if (min > max) return midpoint(facts);
  const number = wanted >= min && wanted <= max ? wanted : min > wanted ? between(min, max) : max;
  if (step === null) return number;
  const stepped = Math.ceil(number / step) * step;
  return stepped <= max ? stepped : Math.floor(max / step) * step;
}

/** The least common multiple of the steps, if they are integers. */
function stepOf(facts: Facts): number | null {
  return tightest(facts, "multipleOf", (...steps) => {
    const common = steps.reduce((one, other) => (one / divisor(one, other)) * other);
    return steps.every((step) => Number.isInteger(step) && step > 0) && Number.isSafeInteger(common)
      ? common
      : Math.max(...steps);
  });
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

/** A number between bounds that are closer to each other than the usual distance. */
function midpoint(facts: Facts): number {
  const min = Math.max(
    tightest(facts, "minimum", Math.max) ?? -Infinity,
    tightest(facts, "exclusiveMinimum", Math.max) ?? -Infinity,
  );
  const max = Math.min(
    tightest(facts, "maximum", Math.min) ?? Infinity,
    tightest(facts, "exclusiveMaximum", Math.min) ?? Infinity,
  );
  return facts.types[0] === "integer" ? Math.ceil(min) : min + (max - min) / 2;
}

/** Just above a bound that is itself excluded. */
function above(bound: number | null, step: number | null): number {
  return bound === null ? -Infinity : bound + (step ?? Math.max(Math.abs(bound) * 1e-6, 1e-6));
}

function negative(bound: number | null): number | null {
  return bound === null ? null : -bound;
}

/** The bound itself, or a rounder number near it. */
function between(min: number, max: number): number {
  const round = Math.ceil(min);
  return round <= max ? round : min;
}
