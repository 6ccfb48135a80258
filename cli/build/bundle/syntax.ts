import type { AnyNode } from "acorn";

/** The key of a property or member. `null`: the code computes it. */
export function keyOf(key: AnyNode, isComputed: boolean): string | null {
  if (key.type === "Identifier" && !isComputed) return key.name;
  return textOf(key);
}

/** The value of a string without expressions. */
export function textOf(node: AnyNode | null | undefined): string | null {
  if (node?.type === "Literal") return typeof node.value === "string" ? node.value : null;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? null;
  return null;
}

/** Calls `onNode` for each node in the order of the text, with the node around it. */
export function visit(
  node: AnyNode,
  parent: AnyNode | null,
  onNode: (node: AnyNode, parent: AnyNode | null) => void,
): void {
  onNode(node, parent);
  for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, node, onNode);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
