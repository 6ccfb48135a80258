import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { fromPointer } from "../../../server/shared/json/json-pointer.ts";

type Node = ReturnType<typeof syntaxTree>["topNode"];

const parseMs = 200;

/** The part of the text that a pointer names: a value, or the opening bracket of an object or an array. */
export function rangeOfPointer(state: EditorState, pointer: string): { from: number; to: number } {
  const tree = ensureSyntaxTree(state, state.doc.length, parseMs) ?? syntaxTree(state);
  let node = tree.topNode.firstChild ?? tree.topNode;
  for (const step of fromPointer(pointer)) {
    const child = childAt(state, node, step);
    // A missing field is marked at the object that lacks it.
    if (!child) break;
    node = child;
  }
  const isOpening = node.name === "Object" || node.name === "Array";
  return { from: node.from, to: isOpening ? Math.min(node.from + 1, node.to) : node.to };
}

function childAt(state: EditorState, node: Node, step: string): Node | null {
  if (node.name === "Array") return valuesOf(node)[Number(step)] ?? null;
  if (node.name !== "Object") return null;
  const property = node.getChildren("Property").findLast((one) => nameOf(state, one) === step);
  return property?.lastChild ?? null;
}

/** Where a completion is inserted: a key of an object, or the value at a path. */
export type Insertion = { from: number; to: number; path: (string | number)[] } & (
  | { kind: "key"; taken: readonly string[]; hasColon: boolean }
  | { kind: "value" }
);

const scalars = new Set(["String", "Number", "True", "False", "Null"]);

/** What can be inserted at a position; `null`: nothing, for example after a value. */
export function insertionAt(state: EditorState, at: number): Insertion | null {
  let node: Node | null = syntaxTree(state).resolveInner(at, -1);
  while (node?.type.isError) node = node.parent;
  if (!node) return null;
  if (node.name === "PropertyName") return keyIn(state, node.parent?.parent ?? null, node);
  if (scalars.has(node.name)) return { kind: "value", from: node.from, to: node.to, path: pathOf(state, node) };
  const before = textBefore(state, at);
  if (before === ":") {
    const property = node.name === "Property" ? node : node.getChildren("Property").findLast(({ from }) => from < at);
    return property ? { kind: "value", from: at, to: at, path: [...pathOf(state, property)] } : null;
  }
  if (node.name === "Array" && (before === "[" || before === ","))
    return {
      kind: "value",
      from: at,
      to: at,
      path: [...pathOf(state, node), valuesOf(node).filter(({ to }) => to <= at).length],
    };
  return node.name === "Object" && (before === "{" || before === ",") ? keyIn(state, node, { from: at, to: at }) : null;
}

function keyIn(state: EditorState, object: Node | null, { from, to }: { from: number; to: number }): Insertion | null {
  if (object?.name !== "Object") return null;
  const others = object.getChildren("Property").filter((one) => one.from !== from);
  return {
    kind: "key",
    from,
    to,
    path: pathOf(state, object),
    taken: others.flatMap((one) => nameOf(state, one) ?? []),
    hasColon: /^\s*:/.test(state.sliceDoc(to, to + 40)),
  };
}

/** The path of a value, or of a property. */
function pathOf(state: EditorState, node: Node): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = node; ;) {
    if (at.name === "Property") path.unshift(nameOf(state, at) ?? "");
    const parent: Node | null = at.parent;
    if (!parent) return path;
    if (parent.name === "Array") path.unshift(valuesOf(parent).findIndex(({ from }) => from === at.from));
    at = parent;
  }
}

function valuesOf(array: Node): Node[] {
  const values: Node[] = [];
  for (let child = array.firstChild; child; child = child.nextSibling)
    if (scalars.has(child.name) || child.name === "Object" || child.name === "Array") values.push(child);
  return values;
}

function nameOf(state: EditorState, property: Node): string | null {
  const name = property.getChild("PropertyName");
  if (!name) return null;
  const text = state.sliceDoc(name.from, name.to);
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The last character before a position that is no space. */
function textBefore(state: EditorState, at: number): string {
  return state
    .sliceDoc(Math.max(0, at - 200), at)
    .trimEnd()
    .slice(-1);
}
