import type { AnyNode, CallExpression, Identifier } from "acorn";
import { textOf } from "../bundle/syntax.ts";
import { type BuiltCode, isConstant, type ParsedFile, type Place } from "./built-code.ts";
import { type FunctionNode, isFunction, plainParameter } from "./nodes.ts";

/** The calls through which a value got into a function: the outermost is first. */
export type Calls = readonly Place<CallExpression>[];

/** How deep calls are followed. */
export const maxCalls = 8;

/** A literal argument of a call. */
interface LiteralArgument {
  text: string;
  node: AnyNode;
  /** From the call to that of the function with the parameter. */
  calls: Calls;
}

/** Finds the functions of the project, and their calls. */
export function createFunctionReader({ definitionOf, readsOf }: BuiltCode) {
  /** A function of the project. */
  function functionOf({ file, node }: Place): Place<FunctionNode> | null {
    if (isFunction(node)) return { file, node };
    if (node.type !== "Identifier") return null;
    const found = definitionOf({ file, node });
    if (!found?.of || found.file.moduleOf(found.node).author !== "project") return null;
    const made = found.init ?? found.of;
    return isConstant(found.variable) && isFunction(made) ? { file: found.file, node: made } : null;
  }

  /** All calls of a function. `null`: it is also used in other ways. */
  function callsOf({ file, node }: Place<FunctionNode>): Place<CallExpression>[] | null {
    const parent = file.parentOf(node);
    if (parent?.type === "CallExpression" && parent.callee === node) return [{ file, node: parent }];
    const name =
      node.type === "FunctionDeclaration"
        ? node.id
        : parent?.type === "VariableDeclarator" && parent.id.type === "Identifier"
          ? parent.id
          : null;
    const variable = name && file.variableOf(name);
    if (!variable) return null;
    const uses = readsOf(file, variable).map((use): Place<CallExpression> | null => {
      const around = use.file.parentOf(use.node);
      return around?.type === "CallExpression" && around.callee === use.node ? { file: use.file, node: around } : null;
    });
    return uses.every((use) => use !== null) ? uses : null;
  }

  /** The arguments for a parameter in all calls. `null`: some are not literal. */
  function literalArguments(file: ParsedFile, identifier: Identifier, calls: Calls = []): LiteralArgument[] | null {
    const parameter = file.variableOf(identifier);
    const definition = parameter?.defs[0];
    if (!parameter || definition?.type !== "Parameter" || !isConstant(parameter) || calls.length > maxCalls)
      return null;
    const owner = definition.node as AnyNode;
    if (!isFunction(owner)) return null;
    const index = owner.params.findIndex((one) => plainParameter(one) === definition.name);
    const called = index < 0 ? null : callsOf({ file, node: owner });
    const found = called?.map((call): LiteralArgument[] | null => {
      const node = call.node.arguments[index];
      const text = textOf(node);
      if (node && text !== null) return [{ text, node, calls: [call, ...calls] }];
      return node?.type === "Identifier" ? literalArguments(call.file, node, [call, ...calls]) : null;
    });
    return found?.every((one) => one !== null) ? found.flat() : null;
  }

  return { functionOf, callsOf, literalArguments };
}
