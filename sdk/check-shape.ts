import { definitionKind } from "./definition.ts";
import { didYouMean } from "./did-you-mean.ts";

/**
 * Run-time checks for plain JavaScript, where no compiler checks types. They check shapes only. The build, which also
 * knows the file, checks slugs, endpoints and schemas. Each check throws a TypeError with the problem, its location and
 * the fix.
 */

export function checkOptions(value: unknown, where: string, example: string): void {
  if (!isRecord(value))
    throw new TypeError(
      `${where} needs an object, but got ${value === undefined ? "nothing" : describe(value)}. Write ${example}.`,
    );
}

/**
 * Returns the options with these names. Rejects one that does not exist: it would be ignored, and a misspelt `verify`
 * would check no signature.
 */
export function checkNames<Options extends object, const Names extends readonly (keyof Options)[]>(
  options: Options,
  where: string,
  names: Names & Complete<keyof Options, Names[number]>,
): Options {
  const known = names.map(String);
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(
        `${where}: there is no option ${name}.${didYouMean(name, known)} The options are ${known.join(", ")}.`,
      );
  // Read by name, so that the options of a class may be getters.
  return Object.fromEntries(names.map((name) => [name, options[name]])) as Options;
}

/** Compiles only if the list of names has every option. */
type Complete<Name, Listed> = [Name] extends [Listed] ? unknown : { missing: Exclude<Name, Listed> };

export function checkText(value: unknown, name: string, where: string, example: string): void {
  if (typeof value === "string" && value !== "") return;
  throw new TypeError(
    `${where}: ${name} must be a string, but is ${describe(value)}. Write ${name}: ${JSON.stringify(example)}.`,
  );
}

export function checkSchema(value: unknown, name: string, where: string): void {
  if (isRecord(value) && typeof value["safeParse"] === "function" && ("_zod" in value || "_def" in value)) return;
  throw new TypeError(
    `${where}: ${name} must be a Zod schema, but is ${describe(value)}. Write ${name}: z.object({ … }).`,
  );
}

export function checkFunction(value: unknown, name: string, where: string, example: string): void {
  if (typeof value === "function") return;
  throw new TypeError(`${where}: ${name} must be a function, but is ${describe(value)}. Write ${example}.`);
}

/** Accepts a workflow, or the reference that replaces it in the sources bundle. */
export function checkTarget(value: unknown, where: string): void {
  if (isRecord(value) && (value[definitionKind] === "workflow" || isReference(value, "workflow"))) return;
  throw new TypeError(
    `${where}: workflow must be made by defineWorkflow, but is ${describe(value)}. Import the default export of a file in workflows/.`,
  );
}

export function checkAgent(value: unknown, where: string): void {
  if (isRecord(value) && (value[definitionKind] === "agent" || isReference(value, "agent"))) return;
  throw new TypeError(
    `${where}: agent must be made by defineAgent, but is ${describe(value)}. Import the default export of a file in agents/.`,
  );
}

function isReference(value: Record<PropertyKey, unknown>, kind: "workflow" | "agent"): boolean {
  return value[definitionKind] === "reference" && value["kind"] === kind;
}

export function checkPrompt(value: unknown, where: string): void {
  if ((typeof value === "string" && value !== "") || typeof value === "function") return;
  throw new TypeError(
    `${where}: prompt must be a string or a function, but is ${describe(value)}. Write prompt: "New mail from {{ from }}".`,
  );
}

export function checkModel(value: unknown, where: string): void {
  if (
    isRecord(value) &&
    typeof value["doStream"] === "function" &&
    ["v2", "v3", "v4"].includes(String(value["specificationVersion"]))
  )
    return;
  const found =
    isRecord(value) && typeof value["doStream"] === "function"
      ? `of version ${describe(value["specificationVersion"])}`
      : describe(value);
  const why = typeof value === "string" ? " A model name alone specifies neither the provider nor the API key." : "";
  throw new TypeError(
    `${where}: model must be a language model of the AI SDK (version 2 to 4), but is ${found}.${why} Write model: openai("gpt-5-mini"), with openai from @ai-sdk/openai.`,
  );
}

export function checkTools(value: unknown, where: string): void {
  checkOptions(value, `${where}: tools`, "tools: { search: defineTool({ … }) }");
  for (const [name, tool] of Object.entries(value as object)) {
    const at = `${where}: tools.${name}`;
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
      throw new TypeError(
        `${at}: a tool name must have 1 to 64 characters: letters, digits, _ and -. Model providers accept no others.`,
      );
    checkOptions(tool, at, "defineTool({ description, inputSchema, execute })");
    if (tool.type === "provider")
      throw new TypeError(
        `${at} is a provider-executed tool, which is not supported: its calls can be neither stored as steps nor approved. Write a tool with execute.`,
      );
    if (tool.inputSchema === undefined)
      throw new TypeError(`${at}: inputSchema is missing. Write inputSchema: z.object({ … }).`);
    checkFunction(tool.execute, "execute", at, "async execute(input) { … }");
  }
}

export function checkVerification(value: unknown, where: string): void {
  if (isRecord(value) && value[definitionKind] === "verification") return;
  throw new TypeError(
    `${where}: verify must be made by a function of signalbox/verify, but is ${describe(value)}. Write verify: github({ secret: process.env.GITHUB_SECRET }).`,
  );
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string")
    return value === "" ? "empty" : JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (isRecord(value))
    return typeof value[definitionKind] === "string"
      ? `${value[definitionKind] === "agent" ? "an" : "a"} ${value[definitionKind]}`
      : "a plain object";
  if (typeof value === "function") return "a function";
  return String(value);
}
