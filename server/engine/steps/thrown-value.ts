import type { Json } from "../../contract/json.ts";
import { errorKind } from "../../../sdk/errors.ts";
import { isObject } from "../../shared/schema/json-schema.ts";

/**
 * The form in which the failure of a step is stored, so that the code of the run receives the same failure when it is
 * executed again. It is an error with its name, message, stack, causes and JSON properties, or any other thrown value.
 * Of its classes, only those of the language are kept.
 */

const maxBytes = 64 * 1024;
const maxDepth = 8;
/**
 * Of a failure that is too large, only properties of this size are kept, and of each object the first ones: the largest
 * limits with which it fits.
 */
const limits: readonly Limits[] = [
  ...[16 * 1024, 4 * 1024, 1024, 256].map((bytes) => ({ bytes, members: Infinity })),
  { bytes: 256, members: 100 },
  { bytes: 64, members: 20 },
];
interface Limits {
  bytes: number;
  members: number;
}
const classes = { TypeError, RangeError, SyntaxError, ReferenceError, URIError, EvalError } as const;
/** Stored by themselves. */
const ownKeys = new Set(["name", "message", "stack", "cause", "errors"]);

/** Never throws: what cannot be stored is left out. */
export function storeThrown(thrown: unknown, mapStack: (stack: string) => string): Json {
  const stored = store(thrown, mapStack, maxDepth);
  if (bytesOf(stored) <= maxBytes) return stored;
  for (const max of limits) {
    const smaller = withoutLargeProperties(stored, max);
    if (bytesOf(smaller) <= maxBytes) return smaller;
  }
  return store(thrown, mapStack, 0);
}

const bytesOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value));

/** The same failure and causes. A property such as `code`, or `response.status` beside a large `response.data`, stays. */
function withoutLargeProperties(stored: Json, max: Limits): Json {
  if (!isObject(stored)) return stored;
  const { properties, cause, errors, ...rest } = stored;
  return {
    ...rest,
    ...(properties !== undefined ? { properties: keepSmall(properties, max) ?? {} } : {}),
    ...(cause !== undefined ? { cause: withoutLargeProperties(cause, max) } : {}),
    ...(Array.isArray(errors) ? { errors: errors.map((error) => withoutLargeProperties(error, max)) } : {}),
  };
}

/** The value, if it is small; of a large object, its first small members. */
function keepSmall(value: Json, max: Limits): Json | undefined {
  if (bytesOf(value) <= max.bytes) return value;
  if (!isObject(value)) return undefined;
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    const kept = keepSmall(member, max);
    if (kept !== undefined) members.push([key, kept]);
    if (members.length >= max.members) break;
  }
  return Object.fromEntries(members);
}

/** Depth 0: without causes and properties. */
function store(thrown: unknown, mapStack: (stack: string) => string, depth: number): Json {
  if (!(thrown instanceof Error)) return { value: depth > 0 ? toJson(thrown) : String(thrown).slice(0, 1024) };
  const text = (key: string, maxChars: number) => {
    const value = read(thrown, key);
    return typeof value === "string" ? value.slice(0, maxChars) : "";
  };
  const kind = read(thrown, errorKind);
  const own = {
    name: text("name", 200),
    message: text("message", 16 * 1024),
    stack: mapStack(text("stack", 16 * 1024)),
  };
  const base = Object.entries(classes).find(([, known]) => thrown instanceof known);
  const stored: { [key: string]: Json } = { error: own, ...(base ? { class: base[0] } : {}) };
  if (typeof kind === "string") stored["kind"] = kind;
  if (depth === 0) return stored;
  const properties = Object.keys(thrown).filter((key) => !ownKeys.has(key));
  if (properties.length > 0)
    stored["properties"] = Object.fromEntries(properties.map((key) => [key, toJson(read(thrown, key))]));
  const cause = read(thrown, "cause");
  if (cause !== undefined) stored["cause"] = store(cause, mapStack, depth - 1);
  const errors = read(thrown, "errors");
  if (Array.isArray(errors)) stored["errors"] = errors.map((error) => store(error, mapStack, depth - 1));
  return stored;
}

export function restoreThrown(stored: Json): unknown {
  if (!isObject(stored)) return stored;
  const { error: own, class: base, kind, properties, cause, errors } = stored;
  if (!isObject(own)) return stored["value"];
  const { name, message, stack } = own;
  const known = Object.entries(classes).find(([className]) => className === base);
  const error = new (known?.[1] ?? Error)(String(message));
  const define = (key: PropertyKey, value: unknown) =>
    Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: false });
  if (error.name !== name) define("name", name);
  define("stack", stack);
  if (kind !== undefined) define(errorKind, kind);
  if (cause !== undefined) define("cause", restoreThrown(cause));
  if (Array.isArray(errors)) define("errors", errors.map(restoreThrown));
  if (isObject(properties))
    for (const [key, value] of Object.entries(properties))
      Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: true });
  return error;
}

function read(value: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

function toJson(value: unknown): Json {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? null : (JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
