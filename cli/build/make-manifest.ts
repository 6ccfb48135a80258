import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { z } from "zod";
import type { JsonSchemaObject } from "../../server/contract/json.ts";
import {
  type Manifest,
  type manifestAgentSchema,
  type ManifestTrigger,
  type ManifestWorkflow,
  manifestSchema,
  type StepCall,
} from "../../server/contract/project/manifest.ts";
import {
  agentOptionsSchema,
  endpointOptionsSchema,
  workflowOptionsSchema,
} from "../../server/contract/project/options.ts";
import type { ProjectSettings } from "../../server/contract/project/settings.ts";
import { parseDuration } from "../../sdk/duration.ts";
import { type BundledFile, moduleOf } from "./bundle/bundle.ts";
import { createStepFinder } from "./bundle/find-steps.ts";
import { agentInputJsonSchema } from "../../server/contract/agent/input.ts";
import { bodyFormatsOf } from "./checks/check-bodies.ts";
import { attachmentIdOf } from "./checks/check-definitions.ts";
import { challengesOf } from "./checks/check-challenges.ts";
import { methodsOf } from "./checks/check-methods.ts";
import { keyOf } from "./checks/check-keys.ts";
import { dedupeOf, replyOf } from "./checks/check-guards.ts";
import type { BuiltEnvironment } from "./environment/read-environment.ts";
import type {
  EvaluatedAgent,
  EvaluatedEntry,
  EvaluatedSchema,
  EvaluatedTrigger,
  EvaluatedWorkflow,
} from "./evaluation/protocol.ts";

/** Default approval timeout of a tool. */
const defaultApprovalTimeout = "30d";

/** Trigger files in the order of their attachment ids, by code units. */
export function orderTriggers(entries: readonly EvaluatedEntry[]): { file: string; trigger: EvaluatedTrigger }[] {
  return entries
    .flatMap((entry) => (entry.outcome === "trigger" ? [{ file: entry.file, trigger: entry.trigger }] : []))
    .sort((a, b) => compare(attachmentIdOf(a.trigger), attachmentIdOf(b.trigger)));
}

/** The manifest of a build without errors. Its version is a hash of its content, so equal projects have equal versions. */
export function makeManifest(build: {
  projectDir: string;
  entries: readonly EvaluatedEntry[];
  environment: BuiltEnvironment;
  settings: ProjectSettings;
  files: readonly BundledFile[];
  sources: string;
  now: Date;
}): Manifest {
  const { projectDir, entries, environment, settings, files, sources, now } = build;
  const stepsOf = createStepFinder(files);
  const content = {
    format: 1 as const,
    sources,
    settings,
    environment: environment.manifest,
    triggers: orderTriggers(entries).map(({ file, trigger }) => {
      const secretVariable = trigger.verify && environment.secretOf.get(file);
      return { ...toManifestTrigger(file, trigger), ...(secretVariable && { secretVariable }) };
    }),
    workflows: entries
      .flatMap((entry) =>
        entry.outcome === "workflow" ? [toManifestWorkflow(entry.file, entry.workflow, stepsOf)] : [],
      )
      .sort((a, b) => compare(a.slug, b.slug)),
    agents: entries
      .flatMap((entry) => (entry.outcome === "agent" ? [toManifestAgent(entry.file, entry.agent)] : []))
      .sort((a, b) => compare(a.slug, b.slug)),
  };
  const version = hashOf(content, files);
  const name = settings.name ?? nameOf(projectDir);
  return manifestSchema.parse({ ...content, name, version, builtAt: now.toISOString(), folder: `builds/${version}` });
}

function toManifestTrigger(file: string, trigger: EvaluatedTrigger): ManifestTrigger {
  return {
    slug: String(trigger.slug),
    endpoint: String(trigger.endpoint),
    attachmentId: attachmentIdOf(trigger),
    target: trigger.target && { kind: trigger.target.kind, slug: String(trigger.target.slug) },
    file,
    module: moduleOf(file),
    hasTransform: trigger.hasTransform,
    readsRequest: trigger.readsRequest,
    request: exported(trigger.request),
    filter: filterOf(trigger),
    ...(trigger.event && { selectsEvent: true }),
    headers: trigger.headers ? exported(trigger.headers) : null,
    query: trigger.query ? exported(trigger.query) : null,
    body: bodyFormatsOf(trigger),
    verify: trigger.verify?.scheme ?? null,
    dedupe: dedupeOf(trigger),
    ...endpointOptionsSchema.parse(trigger),
    reply: replyOf(trigger.reply ?? trigger.verify?.reply),
    challenges: challengesOf(trigger.challenge),
    methods: methodsOf(trigger.methods),
    prompt: trigger.prompt,
    key: keyOf(trigger),
  };
}

/** The kind of event of a typed source is part of its filter. The references of `filter` are relative to its root. */
function filterOf({ event, filter }: EvaluatedTrigger): ManifestTrigger["filter"] {
  const [kind, own] = [event, filter].map((schema) => (schema ? exported(schema) : null));
  if (!kind || !own) return own ?? kind ?? null;
  return { ...own, allOf: [...(Array.isArray(own["allOf"]) ? own["allOf"] : []), kind] };
}

function toManifestWorkflow(
  file: string,
  workflow: EvaluatedWorkflow,
  stepsOf: (module: string) => StepCall[],
): ManifestWorkflow {
  const { timeout, ...options } = workflowOptionsSchema.parse(workflow);
  return {
    slug: String(workflow.slug),
    file,
    module: moduleOf(file),
    input: exported(workflow.input),
    output: workflow.output ? exported(workflow.output) : null,
    ...options,
    timeoutMs: timeout,
    hasOnFailure: workflow.hasOnFailure,
    steps: stepsOf(moduleOf(file)),
  };
}

/** Options that only workflows have are absent. */
function toManifestAgent(file: string, agent: EvaluatedAgent): z.input<typeof manifestAgentSchema> {
  const { timeout, callTimeout, ...options } = agentOptionsSchema.parse(agent);
  return {
    slug: String(agent.slug),
    file,
    module: moduleOf(file),
    input: agentInputJsonSchema,
    output: agent.output ? exported(agent.output) : null,
    // Calls are retried individually, so another attempt would not help.
    retries: { attempts: 1, backoff: "fixed", initialMs: 0, maxMs: 0 },
    ...options,
    timeoutMs: timeout,
    callTimeoutMs: callTimeout,
    hasOnFailure: agent.hasOnFailure,
    model: agent.model,
    instructions: agent.instructions,
    tools: agent.tools.map(({ approvalTimeout, inputSchema, ...tool }) => ({
      ...tool,
      inputSchema: "json" in inputSchema ? inputSchema.json : {},
      approvalTimeoutMs: parseDuration(approvalTimeout ?? defaultApprovalTimeout) ?? 1,
    })),
  };
}

function exported({ json }: EvaluatedSchema): JsonSchemaObject {
  if (!json) throw new Error("A schema without problems was not exported");
  return json;
}

function hashOf(content: unknown, files: readonly BundledFile[]): string {
  const hash = createHash("sha256").update(JSON.stringify(content));
  for (const file of [...files].sort((a, b) => compare(a.path, b.path)))
    hash.update(`\0${file.path}\0${file.contents.length}\0`).update(file.contents);
  return hash.digest("hex").slice(0, 12);
}

function nameOf(projectDir: string): string {
  const file = join(projectDir, "package.json");
  if (!existsSync(file)) return basename(projectDir);
  const parsed: unknown = parseJson(readFileSync(file, "utf8"));
  const name = typeof parsed === "object" && parsed !== null && "name" in parsed ? parsed.name : null;
  return typeof name === "string" && name !== "" ? name : basename(projectDir);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
