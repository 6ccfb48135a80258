import { z } from "zod/v4";
import type { Schema } from "../schema.ts";
import type { EventField } from "./event-fields.ts";

/** A schema, and a value that it accepts. */
interface Built {
  schema: z.ZodType;
  example: unknown;
}

/** The names below a path; empty at its end. */
interface Tree extends Map<string, Tree> {}

/**
 * A schema that has only the picked paths of an event, so that other changes of the sender cannot reject it. `fixed`
 * has the strings that name the event, by path: the schema has these fields, with any string, and `eventSchema` has the
 * values. The schema has an example, which forms show. Throws a TypeError that
 * names a path which the event does not have.
 */
export function pickSchema(
  event: EventField,
  { paths, fixed, where }: { paths: readonly string[]; fixed: Readonly<Record<string, string>>; where: string },
): Schema {
  const tree: Tree = new Map();
  for (const path of [...Object.keys(fixed), ...paths]) addPath(tree, path.split("."));
  const { schema, example } = build(event, tree, { before: "", fixed, where });
  return schema.meta({ examples: [example] });
}

/** A schema of the strings that name an event, by path: it accepts no other event. */
export function eventSchema(fixed: Readonly<Record<string, string>>): Schema {
  const tree: Tree = new Map();
  for (const path of Object.keys(fixed)) addPath(tree, path.split("."));
  const toSchema = (names: Tree, before: string): z.ZodType =>
    z.object(
      Object.fromEntries(
        [...names].map(([name, below]) => [
          name,
          below.size > 0 ? toSchema(below, `${before}${name}.`) : z.literal(fixed[before + name] ?? ""),
        ]),
      ),
    );
  return toSchema(tree, "");
}

function addPath(tree: Tree, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  const child = tree.get(name) ?? new Map<string, Tree>();
  tree.set(name, child);
  addPath(child, rest);
}

interface Place {
  before: string;
  fixed: Readonly<Record<string, string>>;
  where: string;
}

function build(field: EventField, tree: Tree, place: Place): Built {
  const shape: Record<string, z.ZodType> = {};
  const example: Record<string, unknown> = {};
  for (const [name, below] of tree) {
    const isList = name.endsWith("[]");
    const key = isList ? name.slice(0, -2) : name;
    const path = `${place.before}${name}`;
    const child = field.field(key);
    if (!child || (isList && !child.items))
      throw new TypeError(`${place.where}: the event has no field ${path}.${namesOf(field)}`);
    const literal = place.fixed[path];
    const made = literal === undefined ? valueAt(child, { below, isList, path, place }) : fixedValue(literal);
    const schema = child.isNullable && literal === undefined ? made.schema.nullable() : made.schema;
    shape[key] = child.isOptional && literal === undefined ? schema.optional() : schema;
    example[key] = made.example;
  }
  return { schema: z.object(shape), example };
}

function fixedValue(literal: string): Built {
  return { schema: z.string(), example: literal };
}

function valueAt(
  child: EventField,
  { below, isList, path, place }: { below: Tree; isList: boolean; path: string; place: Place },
): Built {
  const items = isList ? child.items : null;
  const object = items ?? child;
  if (below.size > 0) {
    if (object.names.length === 0) throw new TypeError(`${place.where}: ${path} has no fields.`);
    const made = build(object, below, { ...place, before: `${path}.` });
    return items ? { schema: z.array(made.schema), example: [made.example] } : made;
  }
  if (object.names.length > 0 || (child.items?.names.length ?? 0) > 0)
    throw new TypeError(`${place.where}: ${path} is an object. Pick its fields.${namesOf(object)}`);
  return { schema: leafSchema(child), example: exampleOf(child) };
}

function leafSchema({ scalars, items }: EventField): z.ZodType {
  const options = [...scalars.map((name) => scalarSchemas[name]()), ...(items ? [z.array(leafSchema(items))] : [])];
  const [first, ...rest] = options;
  if (!first) return z.unknown();
  return rest.length === 0 ? first : z.union([first, ...rest]);
}

const scalarSchemas: Record<EventField["scalars"][number], () => z.ZodType> = {
  string: () => z.string(),
  integer: () => z.int(),
  number: () => z.number(),
  boolean: () => z.boolean(),
  object: () => z.record(z.string(), z.unknown()),
  unknown: () => z.unknown(),
};

const scalarExamples: Record<EventField["scalars"][number], unknown> = {
  string: "text",
  integer: 1,
  number: 1.5,
  boolean: true,
  object: {},
  unknown: null,
};

function exampleOf({ sample, scalars, items, isNullable }: EventField): unknown {
  if (sample !== undefined && (sample !== null || isNullable)) return sample;
  const [first] = scalars;
  return items ? [] : first === undefined ? null : scalarExamples[first];
}

function namesOf({ names }: EventField): string {
  return names.length === 0 ? "" : ` Fields: ${names.slice(0, 30).join(", ")}${names.length > 30 ? ", …" : ""}.`;
}
