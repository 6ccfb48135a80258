import type { Format } from "./string-facts.ts";
import { type PathFacts, type Sketch, childPath, countOf, depthOf, itemsKey, mergeFacts, valuesKey } from "./sketch.ts";

/** A schema inferred from a sketch, before it is code. */
export type Shape =
  | { kind: "unknown" | "boolean" | "integer" | "number" | "string" }
  | { kind: "format"; format: Format }
  | { kind: "literals"; values: string[] }
  | { kind: "array"; item: Shape }
  | { kind: "record"; value: Shape }
  | ObjectShape
  | { kind: "union"; options: Shape[] }
  | { kind: "nullable"; inner: Shape };

interface ObjectShape {
  kind: "object";
  fields: ShapeField[];
  /** The values under keys that are data, beside the named fields. */
  others: Shape | null;
}

export interface ShapeField {
  name: string;
  shape: Shape;
  isOptional: boolean;
  /** E.g. `in 31 of 412, null in 2`. */
  evidence: string;
}

/** A format or an integer needs this many values as evidence. */
const minEvidence = 5;

/** Fewer objects than that are no evidence that a field is always present: `wider` decides as well. */
const minObjects = 5;

/**
 * The schema of the payloads of a sketch. A string at the path of `literal` is that literal. `wider` is the sketch of
 * all kinds, if this one is of one kind: what is absent or null there can be so in a kind with few payloads.
 */
export function shapeOf(
  sketch: Sketch,
  { literal = null, wider = null }: Partial<Pick<Where, "literal" | "wider">> = {},
): Shape {
  return shapeOfNode(treeOf(sketch), { path: "", name: "", literal, wider });
}

/** The values at a path and below it. */
interface Node {
  facts: PathFacts;
  fields: Map<string, Node>;
  items: Node | null;
  /** The values of keys that are data. */
  values: Node | null;
}

function treeOf({ paths }: Sketch): Node {
  const nodes = new Map<string, Node>();
  const root = addNode(nodes, "", paths);
  // Parents first; otherwise in the order of the payloads.
  for (const path of [...paths.keys()].sort((one, other) => depthOf(one) - depthOf(other))) {
    const cut = path.lastIndexOf("/");
    const parent = cut === -1 ? undefined : nodes.get(path.slice(0, cut));
    if (!parent) continue;
    const node = addNode(nodes, path, paths);
    const key = path.slice(cut + 1);
    if (key === itemsKey) parent.items = node;
    else if (key === valuesKey) parent.values = node;
    else parent.fields.set(key.replaceAll("~1", "/").replaceAll("~0", "~"), node);
  }
  return root;
}

function addNode(nodes: Map<string, Node>, path: string, paths: Sketch["paths"]): Node {
  const node: Node = { facts: paths.get(path) ?? noFacts, fields: new Map(), items: null, values: null };
  nodes.set(path, node);
  return node;
}

const noFacts: PathFacts = { types: {}, formats: null, values: new Map(), firstSeen: Infinity, lastSeen: -Infinity };

interface Where {
  path: string;
  /** The name of the field, or that of the array whose item it is. */
  name: string;
  literal: { path: string; value: string } | null;
  wider: Sketch | null;
}

function shapeOfNode(node: Node, where: Where): Shape {
  const { types } = node.facts;
  const options: Shape[] = [];
  if (types.object) options.push(objectShape(node, where));
  if (types.array) options.push({ kind: "array", item: node.items ? inner(node.items, where, itemsKey) : unknown });
  if (types.string) options.push(stringShape(node.facts, where));
  if (types.number) options.push({ kind: "number" });
  else if (types.integer) options.push({ kind: types.integer >= minEvidence ? "integer" : "number" });
  if (types.boolean) options.push({ kind: "boolean" });
  const [only] = options;
  if (!only) return unknown;
  const shape: Shape = options.length === 1 ? only : { kind: "union", options };
  return types.null ? { kind: "nullable", inner: shape } : shape;
}

const unknown: Shape = { kind: "unknown" };

function inner(node: Node, where: Where, key: string): Shape {
  return shapeOfNode(node, { ...where, path: childPath(where.path, key) });
}

function objectShape(node: Node, where: Where): Shape {
  const objects = node.facts.types.object ?? 0;
  if (isMap(node, objects)) {
    const all = [...node.fields.values(), ...(node.values ? [node.values] : [])];
    const merged = all.length === 0 ? null : all.reduce(mergeNodes);
    return { kind: "record", value: merged ? inner(merged, where, valuesKey) : unknown };
  }
  return {
    kind: "object",
    fields: [...node.fields].map(([name, field]) => fieldOf(name, field, objects, where)),
    others: node.values ? inner(node.values, where, valuesKey) : null,
  };
}

/** Whether the keys of an object are data: no name is in most of many objects. */
function isMap({ fields, values }: Node, objects: number): boolean {
  if (fields.size === 0) return true;
  const most = Math.max(...[...fields.values()].map(({ facts }) => countOf(facts)));
  return (fields.size > 20 || values !== null) && most * 2 < objects;
}

function fieldOf(name: string, node: Node, objects: number, where: Where): ShapeField {
  const count = countOf(node.facts);
  const nulls = node.facts.types.null ?? 0;
  const path = childPath(where.path, name);
  const others = objects < minObjects ? widerFacts(where, path) : { isAbsent: false, isNull: false };
  const shape = shapeOfNode(node, { ...where, path, name });
  const notes = [
    `in ${count} of ${objects}`,
    ...(nulls > 0 ? [`null in ${nulls}`] : others.isNull ? ["null in other kinds"] : []),
    ...(count === objects && others.isAbsent ? ["absent in other kinds"] : []),
  ];
  return {
    name,
    shape: others.isNull && nulls === 0 && shape.kind !== "unknown" ? { kind: "nullable", inner: shape } : shape,
    isOptional: count < objects || others.isAbsent,
    evidence: notes.join(", "),
  };
}

function widerFacts({ wider, literal, path: parent }: Where, path: string): { isAbsent: boolean; isNull: boolean } {
  const facts = wider?.paths.get(path);
  if (!wider || !facts || literal?.path === path) return { isAbsent: false, isNull: false };
  return {
    isAbsent: countOf(facts) < (wider.paths.get(parent)?.types.object ?? 0),
    isNull: (facts.types.null ?? 0) > 0,
  };
}

function mergeNodes(one: Node, other: Node): Node {
  const fields = new Map(one.fields);
  for (const [name, node] of other.fields) {
    const known = fields.get(name);
    fields.set(name, known ? mergeNodes(known, node) : node);
  }
  return {
    facts: mergeFacts(one.facts, other.facts),
    fields,
    items: one.items && other.items ? mergeNodes(one.items, other.items) : (one.items ?? other.items),
    values: one.values && other.values ? mergeNodes(one.values, other.values) : (one.values ?? other.values),
  };
}

function stringShape({ types, formats, values }: PathFacts, { path, name, literal }: Where): Shape {
  if (literal?.path === path) return { kind: "literals", values: [literal.value] };
  const count = types.string ?? 0;
  const [format] = formats ?? [];
  if (format !== undefined && count >= minEvidence) return { kind: "format", format };
  if (values && isEnum(name, values, count)) return { kind: "literals", values: [...values.keys()].sort() };
  return { kind: "string" };
}

const constantNames =
  /(?:^|[_-])(?:type|kind|status|state|action|event|object|mode|level|role|visibility|currency|priority|severity|conclusion|association|reason|side|category)$/;

const dataNames =
  /(?:^|[_-])(?:id|name|login|user|username|author|owner|sender|email|title|text|body|message|description|label|ref|branch|tag|path|url|token|secret|password|key|code|slug|hash|sha|version|country|city|company|customer|account|team|org|organization|repo|repository|project|language|locale|timezone|from|to)s?$/;

/**
 * Strings are constants if each of a few was seen so often that an unseen one is improbable. Names of fields count as
 * evidence as well: a sender has few statuses and many users.
 */
function isEnum(name: string, values: ReadonlyMap<string, number>, count: number): boolean {
  if (values.size < 2 || values.size > 20 || isDataName(name)) return false;
  const rarest = Math.min(...values.values());
  return isConstantName(name) ? rarest >= 3 && count >= 10 * values.size : rarest >= 10 && count >= 50 * values.size;
}

/** Whether the values of a field with this name are usually a few constants. */
export function isConstantName(name: string): boolean {
  return constantNames.test(wordsOf(name));
}

/** Whether the values of a field with this name are data, even if only a few were seen. */
export function isDataName(name: string): boolean {
  return dataNames.test(wordsOf(name));
}

function wordsOf(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}
