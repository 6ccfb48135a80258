import { definitionKind } from "./definition.ts";

/**
 * The first look at what was written in plain JavaScript, where no compiler looks. It tells shapes only; what a slug, an endpoint or a
 * schema may say is for the build, which knows the file as well. Each of these throws a TypeError: what is wrong, where, the way out.
 */

export function checkOptions(value: unknown, where: string, example: string): void {
  if (!isRecord(value)) throw new TypeError(`${where} needs an object, and got ${value === undefined ? "nothing" : describe(value)}. Write ${example}.`);
}

export function checkText(value: unknown, name: string, where: string, example: string): void {
  if (typeof value === "string" && value !== "") return;
  throw new TypeError(`${where}: ${name} must be a text, and is ${describe(value)}. Write ${name}: ${JSON.stringify(example)}.`);
}

export function checkSchema(value: unknown, name: string, where: string): void {
  if (isRecord(value) && typeof value["safeParse"] === "function" && ("_zod" in value || "_def" in value)) return;
  throw new TypeError(`${where}: ${name} must be a Zod schema, and is ${describe(value)}. Write ${name}: z.object({ … }).`);
}

export function checkFunction(value: unknown, name: string, where: string, example: string): void {
  if (typeof value === "function") return;
  throw new TypeError(`${where}: ${name} must be a function, and is ${describe(value)}. Write ${example}.`);
}

/** A workflow, or the reference that stands for one where its code is left out. */
export function checkTarget(value: unknown, where: string): void {
  if (isRecord(value) && (value[definitionKind] === "workflow" || value[definitionKind] === "reference")) return;
  throw new TypeError(`${where}: workflow must be what defineWorkflow returns, and is ${describe(value)}. Import the default export of a file in workflows/.`);
}

export function checkVerification(value: unknown, where: string): void {
  if (isRecord(value) && value[definitionKind] === "verification") return;
  throw new TypeError(`${where}: verify must be what a function of signalbox/verify returns, and is ${describe(value)}. Write verify: github({ secret: process.env.GITHUB_SECRET }).`);
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return value === "" ? "empty" : JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (isRecord(value)) return typeof value[definitionKind] === "string" ? `a ${value[definitionKind]}` : "a plain object";
  if (typeof value === "function") return "a function";
  return String(value);
}
