import type { AnyNode, CallExpression, ObjectExpression, Pattern } from "acorn";
import { keyOf, textOf } from "../bundle/syntax.ts";
import type { BuiltCode, ParsedFile, Place } from "./built-code.ts";
import { createCheckReader } from "./environment-checks.ts";
import { type Calls, createFunctionReader, maxCalls } from "./functions.ts";
import {
  enclosingFunction,
  type FunctionNode,
  isGlobal,
  isGlobalFunction,
  isIn,
  isProcess,
  usesArguments,
} from "./nodes.ts";
import { change, startsWith, stringMethods, type Value, value } from "./values.ts";
import { createUseRecorder, type TracedEnvironment } from "./variable-uses.ts";
import { createVerifierReader, isOfSecret } from "./verifiers.ts";

/**
 * Follows every value of `process.env` through the code of the project: by other names, destructuring, objects,
 * functions of the project, and checks of Zod, t3-env and envalid. Where a value cannot be followed, it counts as read.
 */
export function traceVariables(code: BuiltCode): TracedEnvironment {
  const checks = createCheckReader(code);
  const { functionOf, callsOf, literalArguments } = createFunctionReader(code);
  const verifiers = createVerifierReader(code);
  const { verifierOf } = verifiers;
  const { uses, test, lose, noteVariable, noteRead, expect, verify } = createUseRecorder(verifiers);
  const visited = new Map<AnyNode, Set<string>>();
  /** Strings that are names of variables in reads that are followed. */
  const names = new Set<AnyNode>();

  for (const file of code.files) for (const node of file.nodes) traceSource(file, node);
  for (const file of code.files) for (const node of file.nodes) noteString(file, node);
  return uses;

  // ---- sources ----

  function traceSource(file: ParsedFile, node: AnyNode): void {
    if (node.type === "Identifier" && node.name === "process" && isGlobal(file, node))
      return follow({ file, node }, { ...value, kind: "process" }, []);
    if (node.type === "Identifier" && ["globalThis", "global"].includes(node.name) && isGlobal(file, node)) {
      const parent = file.parentOf(node);
      if (parent?.type === "MemberExpression" && keyOf(parent.property, parent.computed) === "process")
        follow({ file, node: parent }, { ...value, kind: "process" }, []);
      return;
    }
    if (node.type === "ImportDeclaration" && isProcess(node.source)) {
      for (const specifier of node.specifiers) {
        const imported = specifier.type === "ImportSpecifier" ? keyOf(specifier.imported, false) : "default";
        if (imported === "env") bind(file, specifier.local, { ...value, kind: "environment" }, []);
        if (imported === "default") bind(file, specifier.local, { ...value, kind: "process" }, []);
      }
    }
    if (node.type === "CallExpression" && node.arguments.length === 1 && isProcess(node.arguments[0]))
      follow({ file, node }, { ...value, kind: "process" }, []);
    if (node.type === "ImportExpression" && isProcess(node.source)) uses.readsAny = true;
  }

  // ---- following a value ----

  function follow(place: Place, given: Value, calls: Calls): void {
    const { file, node } = place;
    const key = [
      given.kind,
      given.name,
      given.isChanged,
      ...given.path,
      "",
      ...calls.map(({ file: { path }, node: { start } }) => `${path}:${start}`),
    ].join(" ");
    const known = visited.get(node) ?? new Set();
    if (known.has(key)) return;
    visited.set(node, known.add(key));
    const parent = file.parentOf(node);
    if (!parent) return;
    const on = (next: AnyNode, changed: Value = given) => follow({ file, node: next }, changed, calls);

    switch (parent.type) {
      case "ExpressionStatement":
      case "ImportSpecifier":
      case "ImportDefaultSpecifier":
      case "ImportNamespaceSpecifier":
        return;
      case "ChainExpression":
      case "ParenthesizedExpression":
      case "AwaitExpression":
        return on(parent);
      case "SequenceExpression":
        return parent.expressions.at(-1) === node ? on(parent) : undefined;
      case "LogicalExpression":
        if (parent.operator === "&&" && parent.left === node) return test(place, given, parent);
        // The fallback may fail.
        if (parent.left === node && given.kind === "variable" && textOf(parent.right) === null) expect(given.name);
        return on(parent);
      case "ConditionalExpression":
        return parent.test === node ? test(place, given, parent) : on(parent);
      case "IfStatement":
      case "WhileStatement":
        return test(place, given, parent);
      case "UnaryExpression":
        if (parent.operator === "delete") return;
        return ["!", "typeof", "void"].includes(parent.operator) ? test(place, given, parent) : lose(place, given);
      case "BinaryExpression":
        return compare(place, given, calls);
      case "TemplateLiteral":
        return given.path.length === 0 && given.kind === "variable" ? on(parent, change(given)) : lose(place, given);
      case "MemberExpression":
        return parent.object === node ? followMember(place, given, calls) : lose(place, given);
      case "VariableDeclarator":
        return bind(file, parent.id, given, calls);
      case "AssignmentPattern":
        return bind(file, parent.left, given, calls);
      case "AssignmentExpression":
        if (parent.right !== node) return;
        bind(file, parent.left, given, calls);
        return on(parent);
      case "Property": {
        const owner = file.parentOf(parent);
        const name = keyOf(parent.key, parent.computed);
        if (owner?.type !== "ObjectExpression" || parent.value !== node || name === null) return lose(place, given);
        return hasMethods(file, owner) ? lose(place, given) : on(owner, { ...given, path: [name, ...given.path] });
      }
      case "SpreadElement": {
        const owner = file.parentOf(parent);
        const isFollowed =
          owner?.type === "ObjectExpression"
            ? given.path.length > 0 || given.kind === "environment"
            : owner?.type === "ArrayExpression" && given.path.length === 0 && given.kind === "variable";
        return owner && isFollowed ? on(owner) : lose(place, given);
      }
      case "ArrayExpression":
        return given.path.length === 0 && given.kind === "variable" ? on(parent) : lose(place, given);
      case "CallExpression":
        return parent.callee === node ? undefined : followCall(place, parent, given, calls);
      case "ReturnStatement":
        return followReturn(place, given, calls);
      case "ArrowFunctionExpression":
        return parent.body === node ? followReturn(place, given, calls) : lose(place, given);
      default:
        return lose(place, given);
    }
  }

  /** Methods can read the other fields. */
  function hasMethods(file: ParsedFile, node: ObjectExpression): boolean {
    const parent = file.parentOf(node);
    if (parent?.type === "CallExpression" && verifierOf({ file, node: parent })) return false;
    return node.properties.some(
      (one) => one.type === "Property" && (one.kind !== "init" || one.value.type === "FunctionExpression"),
    );
  }

  function followMember(place: Place, given: Value, calls: Calls): void {
    const { file, node } = place;
    const parent = file.parentOf(node);
    if (parent?.type !== "MemberExpression") return;
    const name = keyOf(parent.property, parent.computed);
    if (name !== null) names.add(parent.property);
    const [first, ...rest] = given.path;
    if (first !== undefined) {
      if (name === null) return lose(place, given);
      return name === first ? follow({ file, node: parent }, { ...given, path: rest }, calls) : undefined;
    }
    if (given.kind === "variable") return followMethod(place, given, { name, calls });
    if (name === null)
      return given.kind === "environment" ? readParameter(place, given, parent.property, calls) : lose(place, given);
    // A new value is no read.
    const use = file.parentOf(parent);
    if (use?.type === "AssignmentExpression" && use.left === parent && use.operator === "=") return;
    const member = memberOf(given, name);
    if (member) follow({ file, node: parent }, member, calls);
  }

  /** A field of the process, of an environment, or of the result of a check. */
  function memberOf(given: Value, name: string): Value | null {
    if (given.kind === "process") {
      if (name === "default") return given;
      return name === "env" ? { ...value, kind: "environment" } : null;
    }
    if (given.kind === "checked") return name === "data" ? { ...given, kind: "environment" } : null;
    if (given.check && !given.check.isOpen && !given.check.variables.has(name)) return null;
    noteVariable(name);
    return { ...value, kind: "variable", name, isChanged: given.check !== null };
  }

  /** `process.env.A.trim()`. */
  function followMethod(place: Place, given: Value, { name, calls }: { name: string | null; calls: Calls }): void {
    const { file, node } = place;
    const member = file.parentOf(node);
    const call = member && file.parentOf(member);
    if (member?.type === "MemberExpression" && member.property.type === "Literal" && name === null)
      return follow({ file, node: member }, change(given), calls);
    if (name === "length") return test(place, given, node);
    if (name === null || !stringMethods.has(name) || call?.type !== "CallExpression" || call.callee !== member)
      return lose(place, given);
    for (const argument of call.arguments) {
      if (argument.type === "Literal" || textOf(argument) !== null || isGlobalFunction(file, argument)) continue;
      const callback = functionOf({ file, node: argument });
      // What the function returns is part of the result.
      if (callback) bindParameter(callback, 0, change(given), [...calls, { file, node: call }]);
      else lose(place, given);
    }
    follow({ file, node: call }, change(given), calls);
  }

  /** `process.env[name]` in a function that is called with literal names. */
  function readParameter(place: Place, given: Value, property: AnyNode, calls: Calls): void {
    const { file, node } = place;
    const member = file.parentOf(node);
    const found = property.type === "Identifier" ? literalArguments(file, property) : null;
    if (!member || !found) return lose(place, given);
    for (const { text, node: argument, calls: inner } of found) {
      names.add(argument);
      const read = memberOf(given, text);
      if (read) follow({ file, node: member }, change(read), [...inner, ...calls]);
    }
  }

  function compare(place: Place, given: Value, calls: Calls): void {
    const { file, node } = place;
    const parent = file.parentOf(node);
    if (parent?.type !== "BinaryExpression") return;
    const other = parent.left === node ? parent.right : parent.left;
    if (parent.operator === "in") {
      const name = textOf(other);
      if (name === null || given.path.length > 0 || given.kind !== "environment") return lose(place, given);
      names.add(other);
      const found = memberOf(given, name);
      return found ? test(place, found, parent) : undefined;
    }
    const isEmpty =
      (other.type === "Literal" && (other.value === null || other.value === "")) ||
      (other.type === "Identifier" && other.name === "undefined") ||
      (other.type === "UnaryExpression" && other.operator === "void");
    if (isEmpty) return test(place, given, parent);
    if (parent.operator === "+" && given.kind === "variable" && given.path.length === 0)
      return follow({ file, node: parent }, change(given), calls);
    return lose(place, given);
  }

  function followCall(place: Place, call: CallExpression, given: Value, calls: Calls): void {
    const { file, node } = place;
    const index = call.arguments.findIndex((one) => one === node);
    const at: Place<CallExpression> = { file, node: call };
    const result = (changed: Value) => follow(at, changed, calls);
    const verifier = verifierOf(at);
    if (verifier && (verifier === "scheme" || index === 1)) return passOptions(place, given, at);

    if (isIn(file, call.callee, "Object", ["freeze", "seal"])) return result(given);
    if (isGlobalFunction(file, call.callee) && given.path.length === 0) return result(change(given));

    const check = checks.readCheck(at, node);
    if (check && startsWith(given.path, check.path)) return passCheck(place, given, { check, result });
    if (given.kind === "variable" && given.path.length === 0 && index === 0 && checks.isCheckOfString(at)) {
      expect(given.name);
      return result(change(given));
    }

    const callee = functionOf({ file, node: call.callee });
    if (!callee || calls.length >= maxCalls) return lose(place, given);
    bindParameter(callee, index, given, [...calls, at]);
  }

  /** The argument of a check: the result has the same names. */
  function passCheck(
    place: Place,
    given: Value,
    { check, result }: { check: NonNullable<ReturnType<typeof checks.readCheck>>; result: (next: Value) => void },
  ): void {
    const [name, ...deeper] = given.path.slice(check.path.length);
    if (deeper.length > 0) return lose(place, given);
    const { variables, isOpen } = check.checked;
    const wrapped = check.isSafe ? ["data"] : [];
    if (name === undefined && given.kind === "environment") {
      // A check that only the real value passes needs it.
      for (const [checked, isPlain] of variables)
        if (isPlain) expect(checked);
        else noteRead(checked);
      return result({ ...given, kind: check.isSafe ? "checked" : "environment", path: [], check: check.checked });
    }
    if (name === undefined || given.kind !== "variable") return lose(place, given);
    if (!variables.get(name) && (variables.has(name) || isOpen)) return lose(place, given);
    if (!variables.has(name)) return;
    expect(given.name);
    result({ ...change(given), path: [...wrapped, name] });
  }

  function bindParameter({ file, node }: Place<FunctionNode>, index: number, given: Value, calls: Calls): void {
    if (node.generator) return lose({ file, node }, given);
    const parameter = node.params[index];
    const rest = node.params.at(-1);
    if (rest?.type === "RestElement" && index >= node.params.length - 1) return lose({ file, node }, given);
    if (parameter) bind(file, parameter, given, calls);
    if (usesArguments({ file, node })) lose({ file, node }, given);
  }

  /** What a function returns is the value of its calls. */
  function followReturn(place: Place, given: Value, calls: Calls): void {
    const { file, node } = place;
    const owner = enclosingFunction(file, node);
    if (!owner) return lose(place, given);
    const call = calls.at(-1);
    if (call && isCallOf(call, owner)) return follow(call, given, calls.slice(0, -1));
    const called = callsOf({ file, node: owner });
    if (!called) return lose(place, given);
    for (const one of called) follow(one, given, []);
  }

  function isCallOf({ file, node }: Place<CallExpression>, owner: FunctionNode): boolean {
    return node.arguments.some((one) => one === owner) || functionOf({ file, node: node.callee })?.node === owner;
  }

  // ---- names ----

  function bind(file: ParsedFile, pattern: Pattern, given: Value, calls: Calls): void {
    switch (pattern.type) {
      case "Identifier": {
        const variable = file.variableOf(pattern);
        // A global variable can be read anywhere.
        if (!variable || variable.defs.length === 0) return lose({ file, node: pattern }, given);
        for (const read of code.readsOf(file, variable)) follow(read, given, calls);
        return;
      }
      case "AssignmentPattern":
        if (given.kind === "variable" && given.path.length === 0 && textOf(pattern.right) === null) expect(given.name);
        return bind(file, pattern.left, given, calls);
      case "ObjectPattern":
        return bindObject(file, pattern, given, calls);
      case "ArrayPattern":
        if (given.kind !== "variable" || given.path.length > 0) return lose({ file, node: pattern }, given);
        for (const element of pattern.elements)
          if (element) bind(file, element.type === "RestElement" ? element.argument : element, change(given), calls);
        return;
      default:
        return lose({ file, node: pattern }, given);
    }
  }

  function bindObject(
    file: ParsedFile,
    pattern: Extract<Pattern, { type: "ObjectPattern" }>,
    given: Value,
    calls: Calls,
  ): void {
    const [first, ...rest] = given.path;
    const taken = new Set<string>();
    for (const property of pattern.properties) {
      if (property.type === "RestElement") {
        if (first === undefined ? given.kind === "environment" || given.kind === "process" : !taken.has(first))
          bind(file, property.argument, given, calls);
        continue;
      }
      const name = keyOf(property.key, property.computed);
      if (name === null) {
        lose({ file, node: property }, given);
        continue;
      }
      names.add(property.key);
      taken.add(name);
      if (first !== undefined) {
        if (name === first) bind(file, property.value, { ...given, path: rest }, calls);
        continue;
      }
      const member = given.kind === "variable" ? null : memberOf(given, name);
      if (member) bind(file, property.value, member, calls);
    }
  }

  function passOptions(place: Place, given: Value, { file, node: call }: Place<CallExpression>): void {
    const [option = "", ...deeper] = given.path;
    if (given.kind !== "variable") return lose(place, given);
    if (option !== "" && !isOfSecret(option)) return noteRead(given.name);
    const [options] = call.arguments;
    const isOnly =
      verifierOf({ file, node: call }) === "source" ||
      (options?.type === "ObjectExpression" && options.properties.length === 1);
    const isPlain = option === "secret" && deeper.length === 0 && !given.isChanged;
    verify(given.name, { module: file.moduleOf(call).path, isOnlySecret: isOnly && isPlain });
    if (given.isChanged) expect(given.name);
  }

  /** A string that is the name of a variable can be an argument of a library that reads it. */
  function noteString(file: ParsedFile, node: AnyNode): void {
    const text = node.type === "Literal" || node.type === "TemplateLiteral" ? textOf(node) : null;
    if (text === null || names.has(node) || !(uses.variables.has(text) || text.startsWith("SIGNALBOX_"))) return;
    const parent = file.parentOf(node);
    if ((parent?.type === "Property" && parent.key === node) || parent?.type === "ImportDeclaration") return;
    // Functions of the project are followed.
    if (parent?.type === "CallExpression" && functionOf({ file, node: parent.callee })) return;
    if (parent?.type === "NewExpression" && parent.callee.type === "Identifier" && parent.callee.name.endsWith("Error"))
      return;
    noteRead(text);
  }
}
