import type { AnyNode, CallExpression, ObjectExpression } from "acorn";
import { placeholderPrefix } from "../../../server/project/verification-secrets.ts";
import { keyOf, textOf } from "../bundle/syntax.ts";
import type { BuiltCode, Place } from "./built-code.ts";

/** What a library checks of an environment, and so which variables its result has. */
export interface CheckedEnvironment {
  /** For each variable, whether any string of the same length passes as well: then a placeholder can replace a secret. */
  variables: ReadonlyMap<string, boolean>;
  /** The result also has the variables that are not checked. */
  isOpen: boolean;
}

/** The environment as an argument of a call, and the keys from the argument to the environment. */
export interface EnvironmentCheck {
  checked: CheckedEnvironment;
  path: readonly string[];
  /** The call returns `{ data }`. */
  isSafe: boolean;
}

/** A function of a package, also as a method of its namespace: `z.object`, or `object`. */
interface LibraryFunction {
  library: "zod" | "t3-env" | "envalid";
  name: string;
}

const libraries = [
  { library: "zod", from: /^zod(\/|$)/ },
  { library: "t3-env", from: /^@t3-oss\/env-/ },
  { library: "envalid", from: /^envalid$/ },
] as const;

/** Methods of `z.string()`: an equally long string passes as well. */
const plainMethods: ReadonlySet<string> = new Set([
  "min",
  "max",
  "length",
  "nonempty",
  "optional",
  "nullish",
  "nullable",
  "describe",
  "default",
]);

/** Options of `createEnv` that change no value. */
const t3Options: ReadonlySet<string> = new Set([
  "runtimeEnv",
  "runtimeEnvStrict",
  "experimental__runtimeEnv",
  "emptyStringAsUndefined",
  "clientPrefix",
  "isServer",
]);

/** Recognises the checks of Zod, t3-env and envalid. */
export function createCheckReader({ definitionOf }: Pick<BuiltCode, "definitionOf">) {
  function libraryFunctionOf({ file, node }: Place): LibraryFunction | null {
    if (node.type === "MemberExpression") {
      const base = node.object.type === "Identifier" ? importedFrom({ file, node: node.object }) : null;
      const name = keyOf(node.property, node.computed);
      return base && name !== null && !base.isFunction ? { library: base.library, name } : null;
    }
    const imported = node.type === "Identifier" ? importedFrom({ file, node }) : null;
    return imported?.isFunction ? { library: imported.library, name: imported.name } : null;
  }

  function importedFrom(place: Place) {
    if (place.node.type !== "Identifier") return null;
    const found = definitionOf({ file: place.file, node: place.node });
    const source = found?.of && found.file.parentOf(found.of);
    if (!found?.of || source?.type !== "ImportDeclaration") return null;
    const known = libraries.find(({ from }) => from.test(String(source.source.value)));
    if (!known) return null;
    const name = found.of.type === "ImportSpecifier" ? (keyOf(found.of.imported, false) ?? "") : "default";
    return { library: known.library, name, isFunction: !["z", "zod", "default"].includes(name) };
  }

  /** An expression, or what a constant contains. */
  function resolve({ file, node }: Place, depth = 0): Place {
    if (node.type !== "Identifier" || depth > 10) return { file, node };
    const found = definitionOf({ file, node });
    return found?.init ? resolve({ file: found.file, node: found.init }, depth + 1) : { file, node };
  }

  function callOf(place: Place): Place<CallExpression> | null {
    const { file, node } = resolve(place);
    return node.type === "CallExpression" ? { file, node } : null;
  }

  /** `null`: the schema is computed, or changes what it checks. */
  function readObjectSchema(place: Place): CheckedEnvironment | null {
    const call = callOf(place);
    if (!call) return null;
    const { file, node } = call;
    const [argument] = node.arguments;
    const own = libraryFunctionOf({ file, node: node.callee });
    if (own) {
      if (own.library !== "zod" || !["object", "strictObject", "looseObject"].includes(own.name) || !argument)
        return null;
      const variables = readShape({ file, node: argument }, isPlainZodString);
      return variables && { variables, isOpen: own.name === "looseObject" };
    }
    if (node.callee.type !== "MemberExpression") return null;
    const base = readObjectSchema({ file, node: node.callee.object });
    const name = keyOf(node.callee.property, node.callee.computed) ?? "";
    if (!base) return null;
    if (["strict", "strip", "partial", "required", "describe", "meta", "readonly", "brand"].includes(name)) return base;
    if (["passthrough", "loose"].includes(name)) return { ...base, isOpen: true };
    if (name !== "extend" && name !== "safeExtend" && name !== "merge") return null;
    const more = argument
      ? name === "merge"
        ? readObjectSchema({ file, node: argument })?.variables
        : readShape({ file, node: argument }, isPlainZodString)
      : null;
    return more ? { ...base, variables: new Map([...base.variables, ...more]) } : null;
  }

  /** `null`: not all of its keys are literal. */
  function readShape(place: Place, isPlain: (value: Place) => boolean): Map<string, boolean> | null {
    const { file, node } = resolve(place);
    if (node.type !== "ObjectExpression") return null;
    const shape = new Map<string, boolean>();
    for (const property of node.properties) {
      const key = property.type === "Property" ? keyOf(property.key, property.computed) : null;
      if (property.type !== "Property" || key === null) return null;
      shape.set(key, isPlain({ file, node: property.value }));
    }
    return shape;
  }

  /** `z.string()` with at most a length, a default and a prefix: equally long strings are equal to it. */
  function isPlainZodString(place: Place): boolean {
    const call = callOf(place);
    if (!call) return false;
    const { file, node } = call;
    const own = libraryFunctionOf({ file, node: node.callee });
    if (own) return own.library === "zod" && own.name === "string" && node.arguments.length === 0;
    if (node.callee.type !== "MemberExpression") return false;
    const name = keyOf(node.callee.property, node.callee.computed) ?? "";
    const isPlainCall =
      name === "startsWith"
        ? new RegExp(`^${placeholderPrefix}$`).test(textOf(node.arguments[0]) ?? "")
        : plainMethods.has(name) && node.arguments.every((argument) => argument.type === "Literal");
    return isPlainCall && isPlainZodString({ file, node: node.callee.object });
  }

  /** `str()` of envalid, with at most a description. */
  function isPlainEnvalidString(place: Place): boolean {
    const call = callOf(place);
    const own = call && libraryFunctionOf({ file: call.file, node: call.node.callee });
    if (!call || own?.library !== "envalid" || own.name !== "str") return false;
    const [options] = call.node.arguments;
    return (
      !options ||
      (options.type === "ObjectExpression" &&
        options.properties.every(
          (one) => one.type === "Property" && ["desc", "example"].includes(keyOf(one.key, one.computed) ?? ""),
        ))
    );
  }

  function readT3Environment({ file, node }: Place<ObjectExpression>): CheckedEnvironment | null {
    const variables = new Map<string, boolean>();
    for (const property of node.properties) {
      const key = property.type === "Property" ? keyOf(property.key, property.computed) : null;
      if (property.type !== "Property" || key === null) return null;
      if (t3Options.has(key)) continue;
      const shape = ["server", "client", "shared"].includes(key)
        ? readShape({ file, node: property.value }, isPlainZodString)
        : null;
      if (!shape) return null;
      for (const [name, isPlain] of shape) variables.set(name, isPlain);
    }
    return { variables, isOpen: false };
  }

  return {
    /** What a call does with one of its arguments, if that is an environment, or has one. `null`: it is no such check. */
    readCheck({ file, node }: Place<CallExpression>, argument: AnyNode): EnvironmentCheck | null {
      const { callee } = node;
      const own = libraryFunctionOf({ file, node: callee });
      const [first, second] = node.arguments;
      if (own?.library === "t3-env") {
        if (own.name !== "createEnv" || first !== argument || first.type !== "ObjectExpression") return null;
        const checked = readT3Environment({ file, node: first });
        return checked && { checked, path: ["runtimeEnv"], isSafe: false };
      }
      if (own?.library === "envalid") {
        const variables =
          own.name === "cleanEnv" && first === argument && second && node.arguments.length === 2
            ? readShape({ file, node: second }, isPlainEnvalidString)
            : null;
        return variables && { checked: { variables, isOpen: false }, path: [], isSafe: false };
      }
      const isOfSchema = own === null && callee.type === "MemberExpression" && first === argument;
      const isOfLibrary = own?.library === "zod" && second === argument && first !== undefined;
      const name = own?.name ?? (callee.type === "MemberExpression" ? keyOf(callee.property, callee.computed) : null);
      if (name === null || !/^(safeParse|parse)(Async)?$/.test(name)) return null;
      const schema = isOfSchema ? callee.object : isOfLibrary ? first : null;
      const checked = schema && readObjectSchema({ file, node: schema });
      return checked ? { checked, path: [], isSafe: name.startsWith("safe") } : null;
    },

    /** Whether the call is `z.string().parse(…)`, which returns its argument. */
    isCheckOfString({ file, node }: Place<CallExpression>): boolean {
      const { callee } = node;
      return (
        callee.type === "MemberExpression" &&
        keyOf(callee.property, callee.computed) === "parse" &&
        isPlainZodString({ file, node: callee.object })
      );
    },
  };
}
