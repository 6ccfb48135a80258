import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { exampleString } from "./example-string.ts";
import { type Facts, factsOf, firstOf, propertiesOf, tightest } from "./facts-of.ts";
import { isObject, listOf, schemasOf } from "./json-schema.ts";

const maxDepth = 8;
/** A schema with shared shapes can require an unlimited body. */
const maxValues = 2_000;

interface Making {
  root: JsonSchemaObject;
  depth: number;
  /** Shared by the whole body. */
  values: { left: number };
}

/**
 * Creates an example body for a trigger: the fields that `request` requires, and in addition those that `filter`
 * requires. It is a draft to edit, and may not match.
 */
export function exampleBody(request: JsonSchemaObject, filter: JsonSchemaObject | null): Json {
  const body = example(request, { root: request, depth: 0, values: { left: maxValues } });
  return filter ? overlay(body, example(filter, { root: filter, depth: 0, values: { left: maxValues } })) : body;
}

function example(schema: JsonSchemaObject, making: Making): Json {
  const facts = factsOf(schema, making.root);
  const given = givenValue(facts);
  if (given !== undefined) return given;
  if (making.depth > maxDepth || making.values.left-- <= 0) return facts.isNullable ? null : empty(facts);
  const inner = { ...making, depth: making.depth + 1 };
  const own = ofType(facts, inner);
  // If there are choices, the first possible one is used, together with the unconditional schemas.
  return facts.unions.reduce<Json>((body, choices) => {
    const choice = choices.find((one) => !isImpossible(one, making.root)) ?? choices[0];
    return overlay(body, example(choice ? withType(choice, facts) : {}, inner));
  }, own);
}

/** Whether no value matches, or no value matches a required field. */
function isImpossible(schema: JsonSchemaObject, root: JsonSchemaObject): boolean {
  const facts = factsOf(schema, root);
  return (
    facts.isNever ||
    propertiesOf(facts).some((property) => property.isRequired && factsOf(property.schema, root).isNever)
  );
}

function givenValue(facts: Facts): Json | undefined {
  if (facts.values) return facts.values[0] ?? null;
  const standard = firstOf(facts, "default");
  return standard === undefined ? listOf(firstOf(facts, "examples"))[0] : standard;
}

/** Zod 3 exports the type beside the choices, not in them. */
function withType(choice: JsonSchemaObject, facts: Facts): JsonSchemaObject {
  return choice["type"] === undefined && choice["$ref"] === undefined && facts.types.length === 1
    ? { type: facts.types[0] ?? "string", ...choice }
    : choice;
}

function empty({ types }: Facts): Json {
  return types.includes("array") ? [] : types.includes("object") ? {} : types.includes("string") ? "" : null;
}

function ofType(facts: Facts, making: Making): Json {
  switch (facts.types[0]) {
    case "string":
      return exampleString(facts);
    case "integer":
    case "number":
      return exampleNumber(facts);
    case "boolean":
      return true;
    case "array":
      return exampleList(facts, making);
    case "object":
      return exampleObject(facts, making);
    default:
      return facts.parts.some(({ pattern }) => pattern !== undefined)
        ? exampleString(facts)
        : firstOf(facts, "properties") === undefined
          ? null
          : exampleObject(facts, making);
  }
}

function exampleList(facts: Facts, making: Making): Json[] {
  const prefix = schemasOf(firstOf(facts, "prefixItems")).map((item) => example(item, making));
  const items = firstOf(facts, "items");
  const missing = Math.min((tightest(facts, "minItems", Math.max) ?? 0) - prefix.length, 100);
  return isObject(items) && missing > 0
    ? [...prefix, ...Array.from({ length: missing }, () => example(items, making))]
    : prefix;
}

/** Required properties; for a record, also the required keys. */
function exampleObject(facts: Facts, making: Making): Json {
  const named = propertiesOf(facts);
  const other = firstOf(facts, "additionalProperties");
  const required = new Set(facts.parts.flatMap((part) => listOf(part["required"])));
  for (const { name } of named) required.delete(name);
  const others = isObject(other)
    ? [...required].map((name): [string, Json] => [String(name), example(other, making)])
    : [];
  return Object.fromEntries([
    ...named.flatMap(({ name, schema, isRequired }): [string, Json][] =>
      isRequired ? [[name, example(schema, making)]] : [],
    ),
    ...others,
  ]);
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
