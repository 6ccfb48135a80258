import type { Json } from "../../contract/json.ts";
import type { Reason } from "../../contract/delivery.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import { shortJson } from "../../shared/json/short-json.ts";
import type { AnySchema } from "../../ports/project.ts";
import { explainIssues, maxReasons } from "../explain/explain.ts";
import { fieldAt } from "../index/discriminators.ts";

/**
 * A schema in two parts: the fields that require fixed values, and the same schema without them. A body matches the
 * schema if it matches both. If the rest matches, the reasons of the schema are those of the fixed fields, in their
 * order.
 */
export interface SplitSchema {
  fields: readonly FixedField[];
  /** The objects that contain the fields: the body itself and the objects in it. */
  objects: readonly (readonly string[])[];
  /** Matches if each of `objects` is an object and this accepts the body; `null`: there are no other fields. */
  rest: AnySchema | null;
}

export interface FixedField {
  path: readonly string[];
  values: ReadonlySet<unknown>;
  /** The reason for any other value; only `actual` depends on the body. */
  reason: Reason;
}

const known = new WeakMap<AnySchema, SplitSchema | null>();

/**
 * The two parts of a schema; `null` if it has no fixed fields, or is not made of plain objects down to them. `share`
 * returns an equal schema for the rest.
 */
export function splitSchema(
  schema: AnySchema,
  share: (rest: AnySchema) => AnySchema = (rest) => rest,
): SplitSchema | null {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const split = splitAt(readZodNode(schema), []);
  const shared = split && { ...split, rest: split.rest && share(split.rest) };
  known.set(schema, shared);
  return shared;
}

/** Whether everything but the fixed fields matches. */
export function restMatches(
  { objects, rest }: SplitSchema,
  body: Json,
  accepts: (schema: AnySchema) => boolean,
): boolean {
  return objects.every((path) => isObject(fieldAt(body, path))) && (rest === null || accepts(rest));
}

/** Why the fixed fields of a body do not match; empty if they do. */
export function explainFields(fields: readonly FixedField[], body: Json): Reason[] {
  const reasons: Reason[] = [];
  for (const { path, values, reason } of fields) {
    if (reasons.length === maxReasons) break;
    const value = fieldAt(body, path);
    if (!values.has(value)) reasons.push({ ...reason, actual: value === undefined ? null : shortJson(value) });
  }
  return reasons;
}

function splitAt(node: ZodNode | null, path: readonly string[]): SplitSchema | null {
  if (node?.kind !== "object") return null;
  const fields: FixedField[] = [];
  const objects = [path];
  const others: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(node.shape)) {
    const parts = splitChild(child, [...path, name]);
    fields.push(...parts.fields);
    objects.push(...parts.objects);
    if (parts.rest !== null) others[name] = parts.rest;
  }
  if (fields.length === 0) return null;
  return { fields, objects, rest: Object.keys(others).length > 0 ? node.withShape(others) : null };
}

function splitChild(child: unknown, path: readonly string[]): Omit<SplitSchema, "rest"> & { rest: unknown } {
  const node = readZodNode(child);
  const field = node?.kind === "fixed" ? fixedField(node, path) : null;
  if (field) return { fields: [field], objects: [], rest: null };
  return splitAt(node, path) ?? { fields: [], objects: [], rest: child };
}

/** One value of each kind, and two strings: a message that depends on the value or on its kind is detected. */
const probes: readonly unknown[] = [undefined, null, true, false, 0.125, "\u0001 a probe", "\u0001 another", {}, []];

/** `null` if the reason depends on more than whether a value is one of the fixed ones. */
function fixedField(
  { schema, values }: Extract<ZodNode, { kind: "fixed" }>,
  path: readonly string[],
): FixedField | null {
  if (path.includes("__proto__") || values.has(undefined)) return null;
  const reasons = probes.filter((probe) => !values.has(probe)).map((probe) => reasonFor(schema, probe, path));
  const [first] = reasons;
  if (!first || !reasons.every((reason) => reason !== null && isSame(reason, first))) return null;
  return { path, values, reason: first };
}

function reasonFor(schema: AnySchema, probe: unknown, path: readonly string[]): Reason | null {
  const parsed = schema.safeParse(probe);
  if (parsed.success) return null;
  const [reason, ...others] = explainIssues(
    parsed.error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
    null,
  );
  return others.length === 0 ? (reason ?? null) : null;
}

function isSame(a: Reason, b: Reason): boolean {
  return a.pointer === b.pointer && a.code === b.code && a.message === b.message && a.expected === b.expected;
}

/** The schemas that are read. All others are only called. */
type ZodNode =
  /** Accepts any object whose fields match, with any other fields. */
  | { kind: "object"; shape: Readonly<Record<string, unknown>>; withShape(shape: Record<string, unknown>): AnySchema }
  /** Accepts these values only, with Zod's own message for others. */
  | { kind: "fixed"; schema: AnySchema; values: ReadonlySet<unknown> };

type Fields = Readonly<Record<string, unknown>>;
type Constructor = new (def: Fields) => unknown;

/** Reads a schema of Zod 4 or Zod 3. `null`: it is neither. */
function readZodNode(schema: unknown): ZodNode | null {
  if (!isSchema(schema)) return null;
  const internals = recordOf(schema, "_zod");
  return internals ? readZod4(schema, internals) : readZod3(schema);
}

function readZod4(schema: AnySchema, internals: Fields): ZodNode | null {
  const def = recordOf(internals, "def");
  if (!def || hasChecks(def)) return null;
  const { values, constr } = internals;
  if (def["type"] === "literal" || def["type"] === "enum") {
    return values instanceof Set && def["error"] === undefined ? { kind: "fixed", schema, values } : null;
  }
  const shape = def["type"] === "object" ? recordOf(def, "shape") : null;
  const others = recordOf(def, "catchall");
  const takesOthers =
    def["catchall"] === undefined ||
    (others !== null && recordOf(recordOf(others, "_zod") ?? {}, "def")?.["type"] === "unknown");
  if (!shape || !takesOthers || !isConstructor(constr)) return null;
  return { kind: "object", shape, withShape: (fewer) => make(constr, { ...def, shape: fewer }) };
}

function readZod3(schema: AnySchema): ZodNode | null {
  const def = recordOf(schema, "_def");
  if (def?.["typeName"] === "ZodLiteral")
    return def["errorMap"] === undefined ? { kind: "fixed", schema, values: new Set([def["value"]]) } : null;
  if (def?.["typeName"] !== "ZodObject") return null;
  const shape = recordOf(schema, "shape");
  const takesOthers =
    ["strip", "passthrough"].includes(String(def["unknownKeys"])) &&
    recordOf(recordOf(def, "catchall") ?? {}, "_def")?.["typeName"] === "ZodNever";
  const { constructor } = schema;
  if (!shape || !takesOthers || !isConstructor(constructor)) return null;
  return { kind: "object", shape, withShape: (fewer) => make(constructor, { ...def, shape: () => fewer }) };
}

function make(constructor: Constructor, def: Fields): AnySchema {
  const made = new constructor(def);
  if (!isSchema(made)) throw new TypeError("A copy of a schema is not a schema");
  return made;
}

function hasChecks({ checks }: Fields): boolean {
  return Array.isArray(checks) && checks.length > 0;
}

function isSchema(value: unknown): value is AnySchema {
  return typeof value === "object" && value !== null && "safeParse" in value && typeof value.safeParse === "function";
}

function isConstructor(value: unknown): value is Constructor {
  return typeof value === "function";
}

function recordOf(holder: object, name: string): Fields | null {
  const value: unknown = Reflect.get(holder, name);
  return isFields(value) ? value : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
