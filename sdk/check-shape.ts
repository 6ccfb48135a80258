import { definitionKind } from "./definition.ts";

/**
 * The first look at what was written in plain JavaScript, where no compiler looks. It tells shapes only; what a slug,
 * an endpoint or a schema may say is for the build, which knows the file as well. Each of these throws a TypeError:
 * what is wrong, where, the way out.
 */

export function checkOptions(value: unknown, where: string, example: string): void {
  if (!isRecord(value))
    throw new TypeError(
      `${where} needs an object, and got ${value === undefined ? "nothing" : describe(value)}. Write ${example}.`,
    );
}

export function checkText(value: unknown, name: string, where: string, example: string): void {
  if (typeof value === "string" && value !== "") return;
  throw new TypeError(
    `${where}: ${name} must be a text, and is ${describe(value)}. Write ${name}: ${JSON.stringify(example)}.`,
  );
}

export function checkSchema(value: unknown, name: string, where: string): void {
  if (isRecord(value) && typeof value["safeParse"] === "function" && ("_zod" in value || "_def" in value)) return;
  throw new TypeError(
    `${where}: ${name} must be a Zod schema, and is ${describe(value)}. Write ${name}: z.object({ … }).`,
  );
}

export function checkFunction(value: unknown, name: string, where: string, example: string): void {
  if (typeof value === "function") return;
  throw new TypeError(`${where}: ${name} must be a function, and is ${describe(value)}. Write ${example}.`);
}

/** A workflow, or the reference that stands for one where its code is left out. */
export function checkTarget(value: unknown, where: string): void {
  if (isRecord(value) && (value[definitionKind] === "workflow" || isReference(value, "workflow"))) return;
  throw new TypeError(
    `${where}: workflow must be what defineWorkflow returns, and is ${describe(value)}. Import the default export of a file in workflows/.`,
  );
}

export function checkAgent(value: unknown, where: string): void {
  if (isRecord(value) && (value[definitionKind] === "agent" || isReference(value, "agent"))) return;
  throw new TypeError(
    `${where}: agent must be what defineAgent returns, and is ${describe(value)}. Import the default export of a file in agents/.`,
  );
}

function isReference(value: Record<PropertyKey, unknown>, kind: "workflow" | "agent"): boolean {
  return value[definitionKind] === "reference" && value["kind"] === kind;
}

export function checkPrompt(value: unknown, where: string): void {
  if ((typeof value === "string" && value !== "") || typeof value === "function") return;
  throw new TypeError(
    `${where}: prompt must be a text or a function, and is ${describe(value)}. Write prompt: "New mail from {{ from }}".`,
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
  const why = typeof value === "string" ? " A name alone says neither where the model runs nor with which key." : "";
  throw new TypeError(
    `${where}: model must be a language model of the AI SDK (version 2 to 4), and is ${found}.${why} Write model: openai("gpt-5-mini"), with openai of @ai-sdk/openai.`,
  );
}

export function checkTools(value: unknown, where: string): void {
  checkOptions(value, `${where}: tools`, "tools: { search: defineTool({ … }) }");
  for (const [name, tool] of Object.entries(value as object)) {
    const at = `${where}: tools.${name}`;
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
      throw new TypeError(
        `${at}: the name of a tool is 1 to 64 letters, digits, _ and -, for that is what models take.`,
      );
    checkOptions(tool, at, "defineTool({ description, inputSchema, execute })");
    if (tool.type === "provider")
      throw new TypeError(
        `${at} is run by the provider of the model. Such tools are not supported: what they do could be neither stored as a step nor approved. Write one with execute.`,
      );
    if (tool.inputSchema === undefined)
      throw new TypeError(`${at}: inputSchema is missing. Write inputSchema: z.object({ … }).`);
    checkFunction(tool.execute, "execute", at, "async execute(input) { … }");
  }
}

export function checkVerification(value: unknown, where: string): void {
  if (isRecord(value) && value[definitionKind] === "verification") return;
  throw new TypeError(
    `${where}: verify must be what a function of signalbox/verify returns, and is ${describe(value)}. Write verify: github({ secret: process.env.GITHUB_SECRET }).`,
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
