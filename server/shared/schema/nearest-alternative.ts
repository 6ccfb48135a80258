import type { Json } from "../../contract/json.ts";
import { isObject } from "./json-schema.ts";

export type JsonType = "string" | "number" | "boolean" | "null" | "array" | "object";

/** The parts of a schema that determine how near a value is to it. Parts are read lazily: a schema may contain itself. */
export type Shape =
  | { is: "any" }
  | { is: "scalar"; types: readonly JsonType[] }
  | { is: "fixed"; values: readonly unknown[] }
  /** `rest`: the shape of further fields. */
  | { is: "object"; fields: ReadonlyMap<string, ShapeField>; rest: (() => Shape) | null }
  | { is: "list"; itemAt: (index: number) => Shape | null }
  /** `isNullable`: there are two options, and one of them is `null`. */
  | { is: "union"; options: readonly (() => Shape)[]; isNullable?: true }
  | { is: "all"; parts: readonly (() => Shape)[] };

export interface ShapeField {
  shape: () => Shape;
  isRequired: boolean;
}

export interface Comparison {
  /** For each alternative, smaller is nearer: compared from left to right. */
  distances: number[][];
  /**
   * A field for which the alternatives have different fixed values, and whose value is none of these: no alternative
   * was intended.
   */
  unmet: { path: readonly string[]; values: readonly unknown[] } | null;
}

/**
 * Compares a value with the alternatives of a union, none of which it matches. The first criterion is the type of the
 * value. The second are the discriminators, whose fixed values distinguish the alternatives. The third are the other
 * fields: each shared field counts for an alternative, and each wrong or missing field against it.
 */
export function compareAlternatives(alternatives: readonly Shape[], value: Json): Comparison {
  const budget = { steps: 10_000 };
  const areOfType = alternatives.map((shape) => takesType(shape, value, 0));
  const ofType = alternatives.filter((_, index) => areOfType[index]);
  const telling = ofType.length > 1 ? tellingFields(ofType.map((shape) => fixedFields(shape))) : [];
  const distances = alternatives.map((shape, index) => {
    if (!areOfType[index]) return [1, 0, 0, 0];
    const own = fixedFields(shape);
    const found = telling.map((key) =>
      valueAtKey(value, key) === undefined
        ? "missing"
        : own.get(key)?.includes(valueAtKey(value, key))
          ? "right"
          : "wrong",
    );
    const { shared, wrong, missing } = likeness(shape, value, { depth: 0, budget });
    return [
      0,
      -found.filter((one) => one === "right").length,
      found.filter((one) => one === "wrong").length,
      wrong + missing - 2 * shared,
    ];
  });
  return {
    distances,
    unmet: unmetField({ telling, ofType, value, distances: distances.filter((_, index) => areOfType[index]) }),
  };
}

export function compareDistances(a: readonly number[], b: readonly number[]): number {
  for (const [index, distance] of a.entries()) {
    const difference = distance - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The shape of the values inside a value of this shape. For alternatives, the one that the value is nearest to. */
export function shapeBelow(shape: Shape, step: PropertyKey, value: Json | undefined): Shape | null {
  switch (shape.is) {
    case "object":
      return (typeof step === "string" ? shape.fields.get(step)?.shape() : undefined) ?? shape.rest?.() ?? null;
    case "list":
      return typeof step === "number" ? shape.itemAt(step) : null;
    case "union":
    case "all": {
      const parts = (shape.is === "union" ? shape.options : shape.parts)
        .map((read) => read())
        .filter((part) => shapeBelow(part, step, value) !== null);
      const [only] =
        parts.length > 1 && shape.is === "union" && value !== undefined ? nearestFirst(parts, value) : parts;
      return only ? shapeBelow(only, step, value) : null;
    }
    default:
      return null;
  }
}

function nearestFirst(shapes: readonly Shape[], value: Json): Shape[] {
  const { distances } = compareAlternatives(shapes, value);
  return shapes
    .map((shape, index) => ({ shape, distance: distances[index] ?? [] }))
    .toSorted((a, b) => compareDistances(a.distance, b.distance))
    .map(({ shape }) => shape);
}

const maxDepth = 8;
const maxFixedDepth = 4;
/** A sample of this many entries represents long arrays and records. */
const maxEntries = 10;

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? (typeof value as JsonType)
    : "object";
}

function takesType(shape: Shape, value: Json, depth: number): boolean {
  switch (shape.is) {
    case "any":
      return true;
    case "scalar":
      return shape.types.includes(typeOf(value));
    case "fixed":
      return shape.values.some((one) => typeOf(one) === typeOf(value));
    case "object":
      return isObject(value);
    case "list":
      return Array.isArray(value);
    case "union":
      return depth > maxDepth || shape.options.some((read) => takesType(read(), value, depth + 1));
    case "all":
      return depth > maxDepth || shape.parts.every((read) => takesType(read(), value, depth + 1));
  }
}

interface Likeness {
  shared: number;
  wrong: number;
  missing: number;
}

const unlike: Likeness = { shared: 0, wrong: 1, missing: 0 };

function likeness(shape: Shape, value: Json, at: { depth: number; budget: { steps: number } }): Likeness {
  const alike: Likeness = { shared: 0, wrong: 0, missing: 0 };
  at.budget.steps -= 1;
  if (at.depth > maxDepth || at.budget.steps < 0) return alike;
  const below = { ...at, depth: at.depth + 1 };
  const add = (part: Shape | null, inner: Json) => {
    const { shared, wrong, missing } = part ? likeness(part, inner, below) : alike;
    alike.shared += 1 + shared;
    alike.wrong += wrong;
    alike.missing += missing;
  };
  switch (shape.is) {
    case "object": {
      if (!isObject(value)) return unlike;
      for (const [name, field] of shape.fields) {
        const inner = Object.hasOwn(value, name) ? value[name] : undefined;
        if (inner !== undefined) add(field.shape(), inner);
        else if (field.isRequired) alike.missing += 1;
      }
      const others = shape.rest ? Object.keys(value).filter((name) => !shape.fields.has(name)) : [];
      for (const name of others.slice(0, maxEntries)) add(shape.rest?.() ?? null, value[name] ?? null);
      return alike;
    }
    case "list":
      if (!Array.isArray(value)) return unlike;
      for (const [index, item] of value.slice(0, maxEntries).entries()) add(shape.itemAt(index), item);
      return alike;
    case "fixed":
      return shape.values.includes(value) ? alike : unlike;
    case "union": {
      const parts = shape.options.map((read) => likeness(read(), value, below));
      return parts.toSorted((a, b) => distanceOf(a) - distanceOf(b))[0] ?? alike;
    }
    case "all": {
      for (const part of shape.parts.map((read) => likeness(read(), value, below)))
        for (const key of ["shared", "wrong", "missing"] as const) alike[key] += part[key];
      return alike;
    }
    default:
      return takesType(shape, value, at.depth) ? alike : unlike;
  }
}

function distanceOf({ shared, wrong, missing }: Likeness): number {
  return wrong + missing - 2 * shared;
}

/** The allowed values of the fields of an object, and of nested objects. The keys are paths as JSON. */
type FixedFields = ReadonlyMap<string, readonly unknown[]>;

const known = new WeakMap<Shape, FixedFields>();

function fixedFields(shape: Shape): FixedFields {
  const before = known.get(shape);
  if (before) return before;
  const found = new Map(collectFixed(shape, [], 0));
  known.set(shape, found);
  return found;
}

function collectFixed(shape: Shape, path: readonly string[], depth: number): [string, readonly unknown[]][] {
  if (depth > maxFixedDepth) return [];
  if (shape.is === "all") return shape.parts.flatMap((read) => collectFixed(read(), path, depth + 1));
  if (shape.is !== "object") return [];
  return [...shape.fields].flatMap(([name, field]): [string, readonly unknown[]][] => {
    const inner = field.shape();
    const values = fixedValues(inner, 0);
    return values ? [[JSON.stringify([...path, name]), values]] : collectFixed(inner, [...path, name], depth + 1);
  });
}

/** `null`: other values match, too. */
function fixedValues(shape: Shape, depth: number): readonly unknown[] | null {
  if (shape.is === "fixed") return shape.values;
  if (shape.is !== "union" || depth > maxFixedDepth) return null;
  const lists = shape.options.map((read) => fixedValues(read(), depth + 1));
  return lists.every((list) => list !== null) ? lists.flat() : null;
}

/** The fields that have fixed values in every alternative, but not the same in all. */
function tellingFields(alternatives: readonly FixedFields[]): string[] {
  const [first, ...others] = alternatives;
  return [...(first ?? [])].flatMap(([key, values]) => {
    const lists = others.map((other) => other.get(key));
    return lists.every((list) => list !== undefined) && lists.some((list) => !isSame(values, list)) ? [key] : [];
  });
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value) => b.includes(value));
}

/** A missing field counts as naming no alternative only if no other field names one. */
function unmetField({
  telling,
  ofType,
  value,
  distances,
}: {
  telling: readonly string[];
  ofType: readonly Shape[];
  value: Json;
  distances: readonly number[][];
}): Comparison["unmet"] {
  const sorted = distances.toSorted(compareDistances);
  const isUndecided = sorted.length > 1 && compareDistances(sorted[0] ?? [], sorted[1] ?? []) === 0;
  for (const key of telling) {
    const values = [...new Set(ofType.flatMap((shape) => fixedFields(shape).get(key) ?? []))];
    const found = valueAtKey(value, key);
    if (found === undefined ? isUndecided : !values.includes(found))
      return { path: JSON.parse(key) as string[], values };
  }
  return null;
}

function valueAtKey(value: Json, key: string): Json | undefined {
  let at: Json | undefined = value;
  for (const name of JSON.parse(key) as string[]) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}
