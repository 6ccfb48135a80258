import type { CheckedEnvironment } from "./environment-checks.ts";

/** A value that depends on the environment. It is at `path` in the value of an expression: the outermost key is first. */
export interface Value {
  kind: "process" | "environment" | "checked" | "variable";
  path: readonly string[];
  /** Of a variable. */
  name: string;
  /** A variable was changed or checked on its way. */
  isChanged: boolean;
  /** Of an environment that a library has checked. `checked`: the result of `safeParse`, with the environment in `data`. */
  check: CheckedEnvironment | null;
}

export const value = { path: [], name: "", isChanged: false, check: null };

export const change = (given: Value): Value => ({ ...given, isChanged: true });

export function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key);
}

/** Methods that return a changed string, or strings of a list. */
export const stringMethods: ReadonlySet<string> = new Set([
  "at",
  "concat",
  "filter",
  "flatMap",
  "join",
  "map",
  "replace",
  "replaceAll",
  "slice",
  "split",
  "substring",
  "toLowerCase",
  "toString",
  "toUpperCase",
  "trim",
  "trimEnd",
  "trimStart",
]);
