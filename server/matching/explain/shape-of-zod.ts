import type { JsonType, Shape, ShapeField } from "../../shared/schema/nearest-alternative.ts";

type Def = Readonly<Record<string, unknown>>;

const shapes = new WeakMap<object, Shape>();

/** The parts of a schema of Zod 4 or Zod 3 that determine how near a body is to it. An unknown schema accepts any value. */
export function shapeOfZod(schema: unknown): Shape {
  if (typeof schema !== "object" || schema === null) return { is: "any" };
  const before = shapes.get(schema);
  if (before) return before;
  const def = recordIn(recordIn(schema, "_zod"), "def");
  const shape = def ? readZod4(schema, def) : readZod3(recordIn(schema, "_def"));
  shapes.set(schema, shape);
  return shape;
}

const any: Shape = { is: "any" };
const scalars: Record<string, JsonType> = {
  string: "string",
  template_literal: "string",
  number: "number",
  int: "number",
  boolean: "boolean",
  null: "null",
  ZodString: "string",
  ZodNumber: "number",
  ZodBoolean: "boolean",
  ZodNull: "null",
};

function readZod4(schema: object, def: Def): Shape {
  const type = String(def["type"]);
  const scalar = scalars[type];
  if (scalar) return { is: "scalar", types: [scalar] };
  switch (type) {
    case "literal":
    case "enum": {
      const values = recordIn(schema, "_zod")?.["values"];
      return values instanceof Set ? { is: "fixed", values: [...values] } : any;
    }
    case "object":
      return objectOf(recordIn(def, "shape"));
    case "record":
      return { is: "object", fields: new Map(), rest: () => shapeOfZod(def["valueType"]) };
    case "array":
      return { is: "list", itemAt: () => shapeOfZod(def["element"]) };
    case "tuple":
      return tupleOf(def);
    case "union":
      return unionOf(def["options"]);
    case "intersection":
      return { is: "all", parts: [() => shapeOfZod(def["left"]), () => shapeOfZod(def["right"])] };
    case "nullable":
      return orNull(def["innerType"]);
    case "pipe":
      return shapeOfZod(def["in"]);
    case "lazy":
      return whenRead(() => recordIn(schema, "_zod")?.["innerType"]);
    default:
      return def["innerType"] === undefined ? any : shapeOfZod(def["innerType"]);
  }
}

function readZod3(def: Def | null): Shape {
  if (!def) return any;
  const type = String(def["typeName"]);
  const scalar = scalars[type];
  if (scalar) return { is: "scalar", types: [scalar] };
  switch (type) {
    case "ZodLiteral":
      return { is: "fixed", values: [def["value"]] };
    case "ZodEnum":
      return { is: "fixed", values: listIn(def["values"]) };
    case "ZodNativeEnum":
      return { is: "fixed", values: Object.values(recordIn(def, "values") ?? {}) };
    case "ZodObject":
      return objectOf(callIn(def, "shape"));
    case "ZodRecord":
      return { is: "object", fields: new Map(), rest: () => shapeOfZod(def["valueType"]) };
    case "ZodArray":
      return { is: "list", itemAt: () => shapeOfZod(def["type"]) };
    case "ZodTuple":
      return tupleOf(def);
    case "ZodUnion":
    case "ZodDiscriminatedUnion":
      return unionOf(def["options"]);
    case "ZodIntersection":
      return { is: "all", parts: [() => shapeOfZod(def["left"]), () => shapeOfZod(def["right"])] };
    case "ZodNullable":
      return orNull(def["innerType"]);
    case "ZodLazy":
      return whenRead(() => callIn(def, "getter"));
    default: {
      const inner = def["innerType"] ?? def["schema"] ?? def["in"] ?? (type === "ZodBranded" ? def["type"] : undefined);
      return inner === undefined ? any : shapeOfZod(inner);
    }
  }
}

function objectOf(shape: Def | null): Shape {
  const fields = Object.entries(shape ?? {}).map(([name, field]): [string, ShapeField] => [
    name,
    { shape: () => shapeOfZod(field), isRequired: !mayBeAbsent(field) },
  ]);
  return { is: "object", fields: new Map(fields), rest: null };
}

const optionalTypes = new Set(["optional", "default", "prefault", "catch", "ZodOptional", "ZodDefault", "ZodCatch"]);

function mayBeAbsent(schema: unknown): boolean {
  const zod4 = recordIn(recordIn(schema, "_zod"), "def");
  const def = zod4 ?? recordIn(schema, "_def");
  return optionalTypes.has(String(zod4 ? zod4["type"] : def?.["typeName"]));
}

function tupleOf(def: Def): Shape {
  const items = listIn(def["items"]);
  return {
    is: "list",
    itemAt: (index) => (index < items.length ? shapeOfZod(items[index]) : def["rest"] ? shapeOfZod(def["rest"]) : null),
  };
}

function unionOf(options: unknown): Shape {
  return { is: "union", options: listIn(options).map((option) => () => shapeOfZod(option)) };
}

function orNull(inner: unknown): Shape {
  return {
    is: "union",
    isNullable: true,
    options: [() => shapeOfZod(inner), () => ({ is: "scalar", types: ["null"] })],
  };
}

/** A lazy schema may return a new schema at each call: it is called once. */
function whenRead(read: () => unknown): Shape {
  let shape: Shape | null = null;
  return { is: "all", parts: [() => (shape ??= shapeOfZod(read()))] };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordIn(holder: unknown, name: string): Def | null;
function recordIn(holder: unknown, name: string): unknown {
  const value: unknown = typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : null;
  return typeof value === "object" && value !== null ? value : null;
}

function callIn(def: Def, name: string): Def | null;
function callIn(def: Def, name: string): unknown {
  const read = def[name];
  const value: unknown = typeof read === "function" ? read() : read;
  return typeof value === "object" && value !== null ? value : null;
}
