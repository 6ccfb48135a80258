import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { nearestName } from "../../../sdk/did-you-mean.ts";
import { propertiesOf, tightest } from "./facts-of.ts";
import { asSchema, isObject, resolveRef, schemasOf } from "./json-schema.ts";

/** Why a condition of a filter can never be met by bodies that match `request`. */
export interface FilterFault {
  /** The names from the top of the body; `[]` is every item of an array. */
  path: readonly string[];
  /**
   * `unknown-field`: bodies that match `request` have no such field. `impossible-value`: they never have this value.
   * `contradiction`: no value matches both schemas.
   */
  kind: "unknown-field" | "impossible-value" | "contradiction";
  /** The impossible value. */
  value?: Json;
  /** The field that was probably meant. */
  nearest?: string | null;
}

/**
 * The faults of a filter, by the JSON Schemas of `request` and `filter`. It compares fields, types, fixed values and
 * bounds; it says nothing of patterns and formats. Schemas with too many alternatives are not compared.
 */
export function findFilterFaults(request: JsonSchemaObject, filter: JsonSchemaObject): FilterFault[] {
  const comparison: Comparison = { request, filter, budget: { steps: maxSteps } };
  try {
    return faultsAt({
      bodies: alternativesOf([request], request),
      filters: alternativesOf([filter], filter),
      path: [],
      comparison,
    });
  } catch (error) {
    if (error instanceof TooManyAlternatives) return [];
    throw error;
  }
}

interface Comparison {
  /** The documents, for references. */
  request: JsonSchemaObject;
  filter: JsonSchemaObject;
  /** Comparisons that are left. */
  budget: { steps: number };
}

/** Schemas without choices, all of which a value must match. */
interface Alternative {
  parts: readonly JsonSchemaObject[];
  /** `null`: any. */
  kinds: ReadonlySet<Kind> | null;
  /** The fixed values; `null`: it has none. */
  values: readonly Json[] | null;
}

type Kind = "string" | "number" | "boolean" | "null" | "array" | "object";

class TooManyAlternatives extends Error {}

const maxAlternatives = 256;
const maxSteps = 5_000;
const maxDepth = 10;

/** The alternatives of schemas, all of which a value must match: references, intersections and unions are resolved. */
function alternativesOf(schemas: readonly JsonSchemaObject[], root: JsonSchemaObject): Alternative[] {
  return schemas
    .map((schema) => expand(schema, root, new Set()))
    .reduce(combine, [[]])
    .map((parts) => ({ parts, kinds: kindsOf(parts), values: valuesOf(parts) }))
    .filter(isPossible);
}

/** Whether a value matches all parts, by what is compared here. */
function isPossible(one: Alternative): boolean {
  const hasRange = [numberBounds, lengthBounds].every((boundsOf) => rangesOverlap(one, one, boundsOf));
  return one.kinds?.size !== 0 && one.values?.length !== 0 && hasRange && !one.parts.some(isNever);
}

function expand(schema: JsonSchemaObject, root: JsonSchemaObject, around: ReadonlySet<JsonSchemaObject>): Parts[] {
  if (around.has(schema)) return [[]];
  const within = new Set([...around, schema]);
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const referred = typeof $ref === "string" ? resolveRef($ref, root) : null;
  const needed = [...(referred ? [referred] : []), ...schemasOf(allOf)].map((part) => expand(part, root, within));
  const choices = [schemasOf(anyOf), schemasOf(oneOf)]
    .filter((list) => list.length > 0)
    .map((list) => list.flatMap((choice) => expand(choice, root, within)));
  return [...needed, ...choices].reduce(combine, [[own]]);
}

type Parts = JsonSchemaObject[];

function combine(these: Parts[], those: Parts[]): Parts[] {
  if (these.length * those.length > maxAlternatives) throw new TooManyAlternatives();
  return these.flatMap((one) => those.map((other) => [...one, ...other]));
}

function isNever({ not }: JsonSchemaObject): boolean {
  return isObject(not) && Object.keys(not).length === 0;
}

function kindsOf(parts: readonly JsonSchemaObject[]): ReadonlySet<Kind> | null {
  let kinds: Set<Kind> | null = null;
  for (const { type } of parts) {
    if (type === undefined) continue;
    const own = new Set([type].flat().map((name) => (name === "integer" ? "number" : name) as Kind));
    kinds = kinds === null ? own : common(kinds, own);
  }
  const values = valuesOf(parts);
  if (values === null) return kinds;
  const ofValues = new Set(values.map(kindOf));
  return kinds === null ? ofValues : common(kinds, ofValues);
}

function common(one: ReadonlySet<Kind>, other: ReadonlySet<Kind>): Set<Kind> {
  return new Set([...one].filter((kind) => other.has(kind)));
}

function kindOf(value: Json): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as Kind;
}

function valuesOf(parts: readonly JsonSchemaObject[]): Json[] | null {
  const fixed = parts.flatMap((part) =>
    part["const"] !== undefined ? [[part["const"]]] : Array.isArray(part["enum"]) ? [part["enum"]] : [],
  );
  const [first, ...others] = fixed;
  return first?.filter((value) => others.every((list) => list.some((other) => isSame(value, other)))) ?? null;
}

function isSame(one: Json, other: Json): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

interface Level {
  bodies: readonly Alternative[];
  filters: readonly Alternative[];
  path: readonly string[];
  comparison: Comparison;
}

function faultsAt(level: Level): FilterFault[] {
  const { bodies, filters, path } = level;
  if (path.length > maxDepth || bodies.some(isAnything)) return [];
  const found = filters.flatMap((filter) => faultsOf(filter, level));
  if (found.length > 0) return dropRepeats(found);
  const canMatch = filters.some((filter) => bodies.some((body) => canOverlap(body, filter, level.comparison, 0)));
  return canMatch || filters.length === 0 ? [] : [{ path, kind: "contradiction" }];
}

/** The faults of one alternative of a filter. */
function faultsOf(filter: Alternative, level: Level): FilterFault[] {
  const { bodies, path, comparison } = level;
  if (filter.values) return valueFaults(filter.values, level);
  const ofKind = bodies.filter((body) => kindsOverlap(body, filter));
  const matching = ofKind.filter((body) => canOverlap(body, filter, comparison, 0));
  const compared = matching.length > 0 ? matching : ofKind;
  return [
    ...(compared.some((body) => isKind(body, "object")) ? fieldFaults(filter, { ...level, bodies: compared }) : []),
    ...(compared.length > 0 && compared.every((body) => isKind(body, "array")) && isKind(filter, "array")
      ? faultsAt({
          bodies: compared.flatMap(({ parts }) => itemsOf(parts, comparison.request)),
          filters: itemsOf(filter.parts, comparison.filter),
          path: [...path, "[]"],
          comparison,
        })
      : []),
  ];
}

function valueFaults(values: readonly Json[], { bodies, path }: Level): FilterFault[] {
  return values
    .filter((value) => typeof value === "string" || typeof value === "number")
    .filter((value) => !bodies.some((body) => canBe(body, value)))
    .map((value) => ({ path, kind: "impossible-value", value }));
}

function fieldFaults(filter: Alternative, { bodies, path, comparison }: Level): FilterFault[] {
  const objects = bodies.filter((body) => isKind(body, "object"));
  const fields = objects.map(({ parts }) => new Map(propertiesOf({ parts }).map((each) => [each.name, each])));
  return propertiesOf(filter).flatMap(({ name, schema }): FilterFault[] => {
    const filters = alternativesOf([schema], comparison.filter);
    // The field must be absent.
    if (filters.length === 0) return [];
    const inside = objects.flatMap(({ parts }, index): Alternative[] => {
      const field = fields[index]?.get(name)?.schema ?? otherFields(parts);
      return field ? alternativesOf([field], comparison.request) : [];
    });
    const isKnown = objects.some(({ parts }, index) => fields[index]?.has(name) || otherFields(parts) !== null);
    if (!isKnown) {
      const names = fields.flatMap((each) => [...each.keys()]);
      return [{ path: [...path, name], kind: "unknown-field", nearest: nearestName(name, [...new Set(names)]) }];
    }
    return faultsAt({ bodies: inside, filters, path: [...path, name], comparison });
  });
}

/** The schema of fields that an object does not name; `null`: it ignores them. */
function otherFields(parts: readonly JsonSchemaObject[]): JsonSchemaObject | null {
  const schemas = parts.flatMap((part) =>
    part["additionalProperties"] === undefined ? [] : [part["additionalProperties"]],
  );
  const allowed = schemas.map(asSchema);
  return allowed.find((schema) => schema !== null && !isNever(schema)) ?? null;
}

/** The items of arrays that are not tuples; of a tuple, anything. */
function itemsOf(parts: readonly JsonSchemaObject[], root: JsonSchemaObject): Alternative[] {
  if (parts.some((part) => part["prefixItems"] !== undefined)) return alternativesOf([{}], root);
  const items = parts.map((part) => asSchema(part["items"])).filter((schema) => schema !== null);
  return alternativesOf(items, root);
}

function isAnything({ parts, kinds }: Alternative): boolean {
  return kinds === null && parts.every((part) => part["properties"] === undefined);
}

/** Whether the values are of this kind, and of no other. */
function isKind({ kinds, parts }: Alternative, kind: Kind): boolean {
  return kinds
    ? kinds.has(kind) && kinds.size === 1
    : kind === "object" && parts.some((part) => part["properties"] !== undefined);
}

function kindsOverlap(one: Alternative, other: Alternative): boolean {
  return one.kinds === null || other.kinds === null || common(one.kinds, other.kinds).size > 0;
}

/** Whether a value may match both. */
function canOverlap(body: Alternative, filter: Alternative, comparison: Comparison, depth: number): boolean {
  if (comparison.budget.steps-- <= 0) throw new TooManyAlternatives();
  if (depth > maxDepth) return true;
  if (!kindsOverlap(body, filter)) return false;
  if (filter.values) return filter.values.some((value) => canBe(body, value));
  if (body.values) return body.values.some((value) => canBe(filter, value));
  if (isKind(body, "number") || isKind(filter, "number")) return rangesOverlap(body, filter, numberBounds);
  if (isKind(body, "string") || isKind(filter, "string")) return rangesOverlap(body, filter, lengthBounds);
  if (!isKind(body, "object") || !isKind(filter, "object")) return true;
  const fields = new Map(propertiesOf(body).map((field) => [field.name, field]));
  return propertiesOf(filter).every(({ name, schema, isRequired }) => {
    const field = fields.get(name);
    if (!field || (!isRequired && !field.isRequired)) return true;
    const inside = alternativesOf([field.schema], comparison.request);
    const wanted = alternativesOf([schema], comparison.filter);
    // A field that neither schema can have says nothing of the other schema.
    if (inside.length === 0 || wanted.length === 0) return true;
    return inside.some((one) => wanted.some((other) => canOverlap(one, other, comparison, depth + 1)));
  });
}

/** Whether a fixed value may match: by its kind, the fixed values and the bounds. */
function canBe(alternative: Alternative, value: Json): boolean {
  const { kinds, values } = alternative;
  if (values) return values.some((other) => isSame(value, other));
  if (kinds && !kinds.has(kindOf(value))) return false;
  if (typeof value === "number") {
    if (alternative.parts.some(({ type }) => type === "integer") && !Number.isInteger(value)) return false;
    return isWithin(value, numberBounds(alternative));
  }
  // JSON Schema counts characters, Zod counts UTF-16 code units. The longer count may be meant.
  return (
    typeof value !== "string" || isWithin(value.length, lengthBounds(alternative)) || /[\uD800-\uDFFF]/.test(value)
  );
}

interface Bounds {
  min: number;
  max: number;
  isAbove: boolean;
  isBelow: boolean;
}

function numberBounds({ parts }: Alternative): Bounds {
  const min = tightest({ parts }, "minimum", Math.max) ?? -Infinity;
  const above = tightest({ parts }, "exclusiveMinimum", Math.max) ?? -Infinity;
  const max = tightest({ parts }, "maximum", Math.min) ?? Infinity;
  const below = tightest({ parts }, "exclusiveMaximum", Math.min) ?? Infinity;
  return {
    min: Math.max(min, above),
    max: Math.min(max, below),
    isAbove: above >= min && above > -Infinity,
    isBelow: below <= max && below < Infinity,
  };
}

function lengthBounds({ parts }: Alternative): Bounds {
  return {
    min: tightest({ parts }, "minLength", Math.max) ?? 0,
    max: tightest({ parts }, "maxLength", Math.min) ?? Infinity,
    isAbove: false,
    isBelow: false,
  };
}

function isWithin(value: number, { min, max, isAbove, isBelow }: Bounds): boolean {
  return (isAbove ? value > min : value >= min) && (isBelow ? value < max : value <= max);
}

function rangesOverlap(one: Alternative, other: Alternative, boundsOf: (of: Alternative) => Bounds): boolean {
  const [a, b] = [boundsOf(one), boundsOf(other)];
  const min = Math.max(a.min, b.min);
  const max = Math.min(a.max, b.max);
  return min < max || (min === max && [a, b].every((bounds) => isWithin(min, bounds)));
}

function dropRepeats(faults: readonly FilterFault[]): FilterFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify([fault.path, fault.kind, fault.value]), fault])).values()];
}
