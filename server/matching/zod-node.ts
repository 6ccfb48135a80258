import type { AnySchema } from "../ports/project.ts";

/** What we look at inside a schema. Everything else is asked, never looked into. */
export type ZodNode =
  /** Accepts any object whose fields match, with any other fields. */
  | { kind: "object"; shape: Readonly<Record<string, unknown>>; withShape(shape: Record<string, unknown>): AnySchema }
  /** Accepts these values only, with Zod's own message for others. */
  | { kind: "fixed"; schema: AnySchema; values: ReadonlySet<unknown> };

type Fields = Readonly<Record<string, unknown>>;
type Constructor = new (def: Fields) => unknown;

/** Reads one schema of Zod 4 or Zod 3; `null` where it is neither of the two. */
export function readZodNode(schema: unknown): ZodNode | null {
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
