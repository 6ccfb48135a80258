import type { Json } from "../../contract/json.ts";
import { containsRedacted } from "../privacy/redaction.ts";
import { type Format, formatsOf, isConstantLike } from "./string-facts.ts";

/** The JSON types of values. `number` is every number that is no safe integer. */
const valueTypes = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;
type ValueType = (typeof valueTypes)[number];

/** What the values at one path have in common. */
export interface PathFacts {
  /** Number of values by type. */
  types: Partial<Record<ValueType, number>>;
  /** The formats that every string has. `null`: no string was seen. */
  formats: readonly Format[] | null;
  /**
   * The distinct strings with their number. `null`: one of them is long, redacted or free text, or there are more than
   * `maxValues`.
   */
  values: ReadonlyMap<string, number> | null;
  /** Unix time in milliseconds. */
  firstSeen: number;
  lastSeen: number;
}

/**
 * The shape of many payloads in bounded memory: which paths they have, and what is at each. Merging is commutative and
 * associative, so neither the order of payloads nor their division into sketches matters.
 */
export interface Sketch {
  /** Number of payloads. */
  count: number;
  /** Unix time in milliseconds. `Infinity` and `-Infinity` without payloads. */
  firstSeen: number;
  lastSeen: number;
  /** By path, see `childPath`. The root is the empty string. */
  paths: Map<string, PathFacts>;
  /**
   * The first path, in the order of `isBefore`, that is left out because there are more than `maxPaths`. `null`: the
   * sketch is complete.
   */
  firstOmitted: string | null;
}

/** Maximum number of paths of a sketch. The deepest are left out first. */
export const maxPaths = 4_000;

/** Maximum number of distinct strings that a path remembers. */
export const maxValues = 64;

/** Maximum number of values of one payload that are read, breadth first. */
const maxRead = 20_000;

/** The items of an array, and the values of an object under keys that are data, e.g. ids. No key has these names. */
export const itemsKey = "~items";
export const valuesKey = "~values";

/** A sketch of no payload. */
export function emptySketch(): Sketch {
  return { count: 0, firstSeen: Infinity, lastSeen: -Infinity, paths: new Map(), firstOmitted: null };
}

/** The sketch of one payload. `seenAt` in Unix milliseconds. */
export function sketchOf(payload: Json, seenAt: number): Sketch {
  const sketch: Sketch = { ...emptySketch(), count: 1, firstSeen: seenAt, lastSeen: seenAt };
  const waiting: { path: string; value: Json }[] = [{ path: "", value: payload }];
  for (let at = 0; at < waiting.length && at < maxRead; at++) {
    const { path, value } = waiting[at] ?? { path: "", value: null };
    const facts = factsOfValue(value, seenAt);
    const known = sketch.paths.get(path);
    sketch.paths.set(path, known ? mergeFacts(known, facts) : facts);
    if (waiting.length >= maxRead || typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      const itemPath = childPath(path, itemsKey);
      for (const item of value) waiting.push({ path: itemPath, value: item });
    } else
      for (const [key, item] of Object.entries(value))
        waiting.push({ path: childPath(path, nameOf(key)), value: item });
  }
  return limit(sketch);
}

/** Adds the payloads of `other` to `sketch`, which changes. */
export function addSketch(sketch: Sketch, other: Sketch): void {
  sketch.count += other.count;
  sketch.firstSeen = Math.min(sketch.firstSeen, other.firstSeen);
  sketch.lastSeen = Math.max(sketch.lastSeen, other.lastSeen);
  sketch.firstOmitted = firstOf(sketch.firstOmitted, other.firstOmitted);
  for (const [path, facts] of other.paths) {
    const known = sketch.paths.get(path);
    sketch.paths.set(path, known ? mergeFacts(known, facts) : facts);
  }
  limit(sketch);
}

/** The path of a named field (escaped as in a JSON Pointer), of `itemsKey` or of `valuesKey`. */
export function childPath(path: string, key: string): string {
  return `${path}/${key === itemsKey || key === valuesKey ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Number of values at a path. */
export function countOf({ types }: PathFacts): number {
  return valueTypes.reduce((sum, type) => sum + (types[type] ?? 0), 0);
}

/** What is known of a path from two groups of values. */
export function mergeFacts(one: PathFacts, other: PathFacts): PathFacts {
  const types: PathFacts["types"] = {};
  for (const type of valueTypes) {
    const sum = (one.types[type] ?? 0) + (other.types[type] ?? 0);
    if (sum > 0) types[type] = sum;
  }
  return {
    types,
    formats: commonFormats(one.formats, other.formats),
    values: mergeValues(one.values, other.values),
    firstSeen: Math.min(one.firstSeen, other.firstSeen),
    lastSeen: Math.max(one.lastSeen, other.lastSeen),
  };
}

/**
 * Sketches keep the first paths in this order: the shallow ones, and of one depth by code units. A path that is left
 * out never returns, so the counts of the others are exact.
 */
function isBefore(path: string, other: string): boolean {
  const [depth, otherDepth] = [depthOf(path), depthOf(other)];
  return depth === otherDepth ? path < other : depth < otherDepth;
}

/** Number of keys in a path. */
export function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) depth++;
  return depth;
}

function limit(sketch: Sketch): Sketch {
  const { paths } = sketch;
  if (paths.size > maxPaths) {
    const omitted = [...paths.keys()].sort((one, other) => (isBefore(one, other) ? -1 : 1))[maxPaths] ?? null;
    sketch.firstOmitted = firstOf(sketch.firstOmitted, omitted);
  }
  const cut = sketch.firstOmitted;
  if (cut !== null) for (const path of paths.keys()) if (!isBefore(path, cut)) paths.delete(path);
  return sketch;
}

function firstOf(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return isBefore(one, other) ? one : other;
}

function factsOfValue(value: Json, seenAt: number): PathFacts {
  const isString = typeof value === "string";
  return {
    types: { [typeOf(value)]: 1 },
    formats: isString ? formatsOf(value) : null,
    values: !isString ? noValues : isConstantLike(value) ? new Map([[value, 1]]) : null,
    firstSeen: seenAt,
    lastSeen: seenAt,
  };
}

const noValues: ReadonlyMap<string, number> = new Map();

function typeOf(value: Json): ValueType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value === "string" ? "string" : typeof value === "boolean" ? "boolean" : "object";
}

function commonFormats(one: PathFacts["formats"], other: PathFacts["formats"]): PathFacts["formats"] {
  if (one === null || other === null) return one ?? other;
  return one.filter((format) => other.includes(format));
}

function mergeValues(one: PathFacts["values"], other: PathFacts["values"]): PathFacts["values"] {
  if (one === null || other === null) return null;
  if (other.size === 0) return one;
  if (one.size === 0) return other;
  const sum = new Map(one);
  for (const [value, count] of other) {
    sum.set(value, (sum.get(value) ?? 0) + count);
    if (sum.size > maxValues) return null;
  }
  return sum;
}

/** Keys that are data become one path, e.g. `{ "2026-01-31": … }`. */
function nameOf(key: string): string {
  return isName(key) ? key : valuesKey;
}

/** Whether a key is a name that the sender chose once, and not data such as an id, a date, an address or a secret. */
function isName(key: string): boolean {
  // Every object inherits names such as `constructor`, so a schema cannot say that they may be absent.
  if (key in Object.prototype || key.length > 64 || containsRedacted(key)) return false;
  if (!/^[\p{L}_$@+-][\p{L}\d_$ .:/@+-]*$/u.test(key)) return false;
  if (/^[0-9a-f-]{16,}$/i.test(key) || /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(key)) return false;
  // Ids of letters and digits, as in `cus_NffrFeUfNV2Hib` or `01KGA4B7S0E1X8Z3QK5V9M2T6N`.
  return !/[_-](?=[A-Za-z]*\d)[\dA-Za-z]{12,}$/.test(key) && !/^(?=(?:[A-Za-z]*\d+){3})[\dA-Za-z]{16,}$/.test(key);
}
