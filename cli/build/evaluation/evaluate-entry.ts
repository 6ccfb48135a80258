import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentDefinition, PromptDefinition, ToolLike, WorkflowDefinition } from "../../../sdk/definition.ts";
import { endpointSettings } from "../../../sdk/endpoint-settings.ts";
import { agentSettings, workflowSettings } from "../../../sdk/target-settings.ts";
import { type JsonSchemaObject, jsonSchemaObjectSchema } from "../../../server/contract/json.ts";
import {
  isAgent,
  isSchema,
  isWorkflow,
  kindOf,
  readTriggerExport,
  type TriggerExport,
} from "../../../server/project/definitions.ts";
import { exportSchema } from "../schema/export.ts";
import { lintSchema } from "../schema/lint.ts";
import { isZod3, isZod4 } from "../schema/zod-node.ts";
import type {
  Entry,
  EvaluatedAgent,
  EvaluatedEntry,
  EvaluatedSchema,
  EvaluatedTool,
  EvaluatedTrigger,
  EvaluatedWorkflow,
  ThrownError,
  Written,
} from "./protocol.ts";
import { originStack } from "./trace-origins.ts";

/** Definitions of workflows and agents, with their files. */
export type TargetFiles = Map<unknown, string>;

/** Imports one module of the code bundle and describes its default export. */
export async function evaluateEntry(buildDir: string, entry: Entry, targetFiles: TargetFiles): Promise<EvaluatedEntry> {
  const { file } = entry;
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(join(buildDir, entry.module)).href);
  } catch (error) {
    return { file, outcome: "threw", error: describeThrown(error) };
  }
  const exported = module.default;
  if (entry.kind === "workflow" && isWorkflow(exported)) {
    targetFiles.set(exported, file);
    return { file, outcome: "workflow", workflow: await readWorkflow(exported) };
  }
  if (entry.kind === "agent" && isAgent(exported)) {
    targetFiles.set(exported, file);
    return { file, outcome: "agent", agent: await readAgent(exported) };
  }
  const trigger = entry.kind === "trigger" ? readTriggerExport(exported) : null;
  if (trigger) return { file, outcome: "trigger", trigger: await readTrigger(trigger, targetFiles) };
  return { file, outcome: "wrong-export", found: nameKind(exported), description: describeExport(exported) };
}

export async function readTrigger(
  { source, target, transform, prompt, key }: TriggerExport,
  targetFiles: TargetFiles,
): Promise<EvaluatedTrigger> {
  return {
    slug: plain(source.slug),
    endpoint: plain(source.endpoint),
    hasTransform: transform !== undefined,
    readsRequest: transform !== undefined && readsSecondArgument(transform),
    request: await evaluateSchema(source.request),
    filter: source.filter === undefined ? null : await evaluateSchema(source.filter),
    // A source of another version of the SDK may have no such property.
    event: source.event === undefined ? null : await evaluateSchema(source.event),
    headers: source.headers === undefined ? null : await evaluateSchema(source.headers),
    query: source.query === undefined ? null : await evaluateSchema(source.query),
    verify: source.verify
      ? {
          scheme: source.verify.scheme,
          problem: source.verify.secretProblem,
          fingerprint: source.verify.fingerprint(),
          signedHeaders: source.verify.signedHeaders,
          proofHeaders: source.verify.proofHeaders,
          coversBody: source.verify.coversBody,
          readsUrl: source.verify.readsUrl,
          bodies: source.verify.bodies,
          reply: source.verify.reply,
        }
      : null,
    ...readWritten(source, endpointSettings),
    key: plain(key),
    prompt: readPrompt(prompt),
    target: target && {
      kind: prompt === undefined ? "workflow" : "agent",
      slug: plain(target.slug),
      file: targetFiles.get(target) ?? null,
    },
  };
}

/** Parameters with defaults and rest parameters do not count for `length`. */
function readsSecondArgument(transform: (...args: never[]) => unknown): boolean {
  if (transform.length > 1) return true;
  const source = Function.prototype.toString.call(transform);
  return /\.\.\.|=/.test(parametersOf(source)) || /\barguments\b/.test(source);
}

/** The text between the parentheses; empty for `payload => …`. */
function parametersOf(source: string): string {
  const start = /^(?:async\s+)?[\w$]+\s*=>/.test(source) ? -1 : source.indexOf("(");
  if (start < 0) return "";
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === "(") depth += 1;
    else if (source[at] === ")" && --depth === 0) return source.slice(start, at);
  }
  return source;
}

function readPrompt(prompt: PromptDefinition | undefined): EvaluatedTrigger["prompt"] {
  if (prompt === undefined) return null;
  return typeof prompt === "string" ? { kind: "template", text: prompt } : { kind: "function" };
}

async function readAgent(agent: AgentDefinition): Promise<EvaluatedAgent> {
  return {
    slug: plain(agent.slug),
    model: { provider: String(agent.model.provider), modelId: String(agent.model.modelId) },
    instructions: String(agent.instructions),
    tools: await evaluateTools(agent.tools),
    output: agent.output === undefined ? null : await evaluateSchema(agent.output),
    hasOnFailure: typeof agent.onFailure === "function",
    ...readWritten(agent, agentSettings),
  };
}

export function describeThrown(error: unknown): ThrownError {
  if (!(error instanceof Error)) return { message: `${String(error)} (not an Error)`, stack: "" };
  const { cause } = error;
  const stack = error.stack ?? "";
  return {
    message: `${error.name}: ${error.message}`,
    stack: cause instanceof Error ? `${stack}\n${cause.stack ?? ""}` : stack,
  };
}

async function readWorkflow(workflow: WorkflowDefinition): Promise<EvaluatedWorkflow> {
  return {
    slug: plain(workflow.slug),
    input: await evaluateSchema(workflow.input),
    output: workflow.output === undefined ? null : await evaluateSchema(workflow.output),
    hasOnFailure: typeof workflow.onFailure === "function",
    ...readWritten(workflow, workflowSettings),
  };
}

function readWritten<Name extends string>(definition: { readonly [Each in Name]?: unknown }, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, plain(definition[name])])) as Written<Record<Name, unknown>>;
}

/** A value that JSON can carry between processes. Other values, such as NaN and Infinity, become a description. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plain(child)]));
  if (value === undefined || value === null || typeof value === "string" || typeof value === "boolean") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : String(value);
}

function nameKind(exported: unknown): "nothing" | "source" | "trigger" | "workflow" | "agent" | "other" {
  if (exported === undefined) return "nothing";
  const kind = kindOf(exported);
  return kind === "source" || kind === "trigger" || kind === "workflow" || kind === "agent" ? kind : "other";
}

function describeExport(exported: unknown): string {
  if (exported === null) return "null";
  if (typeof exported === "function") return "a function";
  if (Array.isArray(exported)) return "an array";
  return typeof exported === "object" ? "an object" : `a ${typeof exported}`;
}

/**
 * The tools of an agent, as sent to the model. Their schemas can contain code, unlike those of a request: only the
 * model reads the export, and the schema itself parses the arguments.
 */
async function evaluateTools(tools: Readonly<Record<string, ToolLike>>): Promise<EvaluatedTool[]> {
  return await Promise.all(
    Object.entries(tools).map(async ([name, tool]) => ({
      name,
      description: typeof tool.description === "string" ? tool.description : null,
      inputSchema: await exportToolSchema(tool.inputSchema),
      needsApproval:
        typeof tool.needsApproval === "function" ? "sometimes" : tool.needsApproval === true ? "always" : "never",
      approvalTimeout: typeof tool.approvalTimeout === "object" ? String(tool.approvalTimeout) : tool.approvalTimeout,
    })),
  );
}

async function exportToolSchema(schema: unknown): Promise<EvaluatedTool["inputSchema"]> {
  try {
    if (isZod4(schema) || isZod3(schema)) return { json: exportSchema(schema) };
    return { json: await readAiSchema(schema) };
  } catch (error) {
    return { problem: error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error) };
  }
}

/** The result of `jsonSchema(…)` of the AI SDK, or a function that returns one. */
async function readAiSchema(given: unknown): Promise<JsonSchemaObject> {
  const schema: unknown = typeof given === "function" ? given() : given;
  const json: unknown =
    typeof schema === "object" && schema !== null && "jsonSchema" in schema ? await schema.jsonSchema : null;
  const parsed = jsonSchemaObjectSchema.safeParse(json);
  if (!parsed.success) throw new Error("it is neither a Zod schema nor a schema of the AI SDK");
  return parsed.data;
}

/** All facts about one schema that the build needs. */
async function evaluateSchema(schema: unknown): Promise<EvaluatedSchema> {
  if (!isSchema(schema) || !(isZod4(schema) || isZod3(schema))) {
    return {
      json: null,
      problems: [{ kind: "not-zod", path: [], method: describe(schema), stack: null }],
      regexes: [],
    };
  }
  try {
    const { findings, regexes } = await lintSchema(schema);
    return {
      json: findings.length === 0 ? exportSchema(schema) : null,
      problems: findings.map(({ kind, path, method, origin, owner }) => ({
        kind,
        path: [...path],
        method,
        stack: originStack(origin) ?? originStack(owner ?? null),
      })),
      regexes: regexes.map(({ path, source, flags, origin }) => ({
        path: [...path],
        source,
        flags,
        stack: originStack(origin),
      })),
    };
  } catch (error) {
    // User code in z.lazy() or a default, or a schema that Zod's exporter rejects.
    const reason = error instanceof Error ? error.message : String(error);
    return { json: null, problems: [{ kind: "export-failed", path: [], method: reason, stack: null }], regexes: [] };
  }
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "function") return "a function";
  return typeof value === "object" ? "an object that is not a Zod schema" : `a ${typeof value}`;
}
