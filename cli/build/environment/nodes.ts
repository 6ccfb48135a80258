import type {
  AnonymousFunctionDeclaration,
  AnyNode,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  Pattern,
} from "acorn";
import { keyOf } from "../bundle/syntax.ts";
import type { ParsedFile, Place } from "./built-code.ts";

export type FunctionNode =
  | FunctionDeclaration
  | AnonymousFunctionDeclaration
  | FunctionExpression
  | ArrowFunctionExpression;

export function isFunction(node: AnyNode | null): node is FunctionNode {
  return node !== null && ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(node.type);
}

export function isProcess(node: AnyNode | undefined): boolean {
  return node?.type === "Literal" && (node.value === "process" || node.value === "node:process");
}

export function isGlobal(file: ParsedFile, node: Identifier): boolean {
  const parent = file.parentOf(node);
  if (file.variableOf(node)) return false;
  if (parent?.type === "MemberExpression") return parent.object === node || parent.computed;
  if (parent?.type === "Property") return parent.value === node || parent.computed;
  return parent?.type !== "MethodDefinition" && parent?.type !== "PropertyDefinition";
}

/** `.filter(Boolean)`. */
export function isGlobalFunction(file: ParsedFile, node: AnyNode): boolean {
  return node.type === "Identifier" && ["Boolean", "String"].includes(node.name) && !file.variableOf(node);
}

export function isIn(file: ParsedFile, node: AnyNode, object: string, methods: readonly string[]): boolean {
  return (
    node.type === "MemberExpression" &&
    node.object.type === "Identifier" &&
    node.object.name === object &&
    file.variableOf(node.object) === null &&
    methods.includes(keyOf(node.property, node.computed) ?? "")
  );
}

export function plainParameter(node: Pattern): Pattern {
  return node.type === "AssignmentPattern" ? node.left : node;
}

export function usesArguments({ file, node }: Place<FunctionNode>): boolean {
  return file.nodes.some(
    (one) =>
      one.type === "Identifier" &&
      one.name === "arguments" &&
      one.start > node.start &&
      one.end < node.end &&
      file.variableOf(one)?.defs.length === 0,
  );
}

export function enclosingFunction(file: ParsedFile, node: AnyNode): FunctionNode | null {
  for (let around = file.parentOf(node); around; around = file.parentOf(around)) if (isFunction(around)) return around;
  return null;
}
