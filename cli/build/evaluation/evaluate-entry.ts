import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  AgentDefinition,
  PromptDefinition,
  TriggerDefinition,
  WorkflowDefinition,
} from "../../../sdk/definition.ts";
import { isAgent, isTrigger, isWorkflow, kindOf } from "../../../server/project/definitions.ts";
import { evaluateSchema } from "./evaluate-schema.ts";
import { evaluateTools } from "./evaluate-tools.ts";
import type {
  Entry,
  EvaluatedAgent,
  EvaluatedEntry,
  EvaluatedTrigger,
  EvaluatedWorkflow,
  ThrownError,
} from "./protocol.ts";

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
  if (entry.kind === "trigger" && isTrigger(exported)) {
    return { file, outcome: "trigger", trigger: await readTrigger(exported, targetFiles) };
  }
  return { file, outcome: "wrong-export", found: nameKind(exported), description: describeExport(exported) };
}

export async function readTrigger(
  { source, target, transform, prompt }: TriggerDefinition,
  targetFiles: TargetFiles,
): Promise<EvaluatedTrigger> {
  return {
    slug: plain(source.slug),
    endpoint: plain(source.endpoint),
    hasTransform: transform !== undefined,
    request: await evaluateSchema(source.request),
    filter: source.filter === undefined ? null : await evaluateSchema(source.filter),
    verify: source.verify
      ? {
          scheme: source.verify.scheme,
          problem: source.verify.secretProblem,
          fingerprint: source.verify.fingerprint(),
          signedHeaders: source.verify.signedHeaders,
        }
      : null,
    dedupe: plain(source.dedupe),
    rateLimit: plain(source.rateLimit),
    prompt: readPrompt(prompt),
    target: {
      kind: prompt === undefined ? "workflow" : "agent",
      slug: plain(target?.slug),
      file: targetFiles.get(target) ?? null,
    },
  };
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
    maxSteps: plain(agent.maxSteps),
    maxToolCalls: plain(agent.maxToolCalls),
    budget: plain(agent.budget),
    timeout: plain(agent.timeout),
    callTimeout: plain(agent.callTimeout),
    concurrency: plain(agent.concurrency),
    maxQueued: plain(agent.maxQueued),
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
    retries: plain(workflow.retries),
    timeout: plain(workflow.timeout),
    concurrency: plain(workflow.concurrency),
    maxQueued: plain(workflow.maxQueued),
  };
}

/** A value that JSON can carry between processes. Other values, such as NaN and Infinity, become a description. */
function plain(value: unknown): unknown {
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
