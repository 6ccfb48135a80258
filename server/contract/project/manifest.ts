import { z } from "zod";
import { attachmentId } from "../fields.ts";
import { jsonSchemaObjectSchema } from "../json.ts";
import { projectSettingsSchema } from "./settings.ts";
import {
  bodyFormatSchema,
  challengeSchema,
  dedupeSchema,
  endpointSchema,
  methodsSchema,
  replySchema,
  slugSchema,
} from "./endpoint.ts";
import { agentOptionsSchema, endpointOptionsSchema, retryPolicySchema, workflowOptionsSchema } from "./options.ts";
import { runKeySchema } from "./run-key.ts";
import { targetSchema } from "./target.ts";

const promptKind = <Kind extends string>(kind: Kind) =>
  z.literal(kind).describe("A template, or a function of the project.");

/** How a trigger makes the prompt of its agent. */
export const promptSchema = z.discriminatedUnion("kind", [
  z.object({ kind: promptKind("template"), text: z.string().describe("The template.") }),
  z.object({ kind: promptKind("function") }),
]);

export const manifestTriggerSchema = z.object({
  slug: slugSchema.describe("Slug, e.g. `welcome-email`."),
  endpoint: endpointSchema.describe("The endpoint, e.g. `billing`."),
  attachmentId,
  target: targetSchema.nullable().describe("What it starts. `null`: nothing. It only wakes the runs that wait for it."),
  /** Path in the project, with `/`. */
  file: z.string().describe("Path of its file in the project."),
  /** Path of its module in the build folder: default export is the trigger, with its transform. */
  module: z.string(),
  hasTransform: z.boolean().describe("Whether it has a `transform`."),
  /** Whether the transform uses its second argument, the request. Builds of old do not have it. */
  readsRequest: z.boolean().default(false),
  request: jsonSchemaObjectSchema,
  filter: jsonSchemaObjectSchema.nullable(),
  selectsEvent: z
    .boolean()
    .optional()
    .describe("Whether the filter selects a kind of event before the request schema applies. Absent: no."),
  /** Builds of old do not have it. */
  headers: jsonSchemaObjectSchema.nullable().default(null),
  query: jsonSchemaObjectSchema.nullable().default(null),
  /** The formats in which its endpoint accepts bodies. Builds of old do not have it. */
  body: z.array(bodyFormatSchema).default([{ type: "json", bigints: "number" }]),
  /** The scheme by which its requests are signed, e.g. `github`; builds of old do not have it. */
  verify: z.string().nullable().default(null),
  /** The environment variable with its secret. Absent: the file does not name it, or sets other options of `verify`. */
  secretVariable: z.string().optional().describe("The environment variable with the secret. Absent: unknown."),
  dedupe: dedupeSchema.nullable().default(null),
  ...endpointOptionsSchema.shape,
  reply: replySchema.nullable().default(null),
  challenges: z.array(challengeSchema).default([]),
  methods: methodsSchema.default(["POST"]),
  /** Of triggers of agents; builds of old do not have it. */
  prompt: promptSchema.nullable().default(null),
  key: runKeySchema
    .nullable()
    .default(null)
    .describe("The values of a webhook that make the key of its run. `null`: its runs have no key."),
});

/**
 * A call of `ctx.step`, `ctx.sleep`, `ctx.sleepUntil`, `ctx.waitFor`, `ctx.waitForAny`, `ctx.call` or `ctx.start` whose
 * name is a literal.
 */
export const stepCallSchema = z.object({
  kind: z
    .enum(["step", "sleep", "event", "child"])
    .describe("The kind. `event`: a wait for one. `child`: a child run that it calls or starts."),
  name: z.string().describe("Name of the step."),
});

export const manifestWorkflowSchema = z.object({
  slug: slugSchema,
  file: z.string(),
  module: z.string(),
  input: jsonSchemaObjectSchema,
  output: jsonSchemaObjectSchema.nullable(),
  retries: retryPolicySchema,
  timeoutMs: z.int().min(1),
  ...workflowOptionsSchema.omit({ retries: true, timeout: true }).shape,
  /** Whether its code has `onFailure`. Builds of old do not have it. */
  hasOnFailure: z.boolean().default(false),
  /** The calls in its code, also in code that it shares with others. Agents and builds of old have none. */
  steps: z.array(stepCallSchema).default([]),
});

export const manifestAgentSchema = manifestWorkflowSchema.extend({
  /** Who runs the model, as the AI SDK names it, e.g. `openai.responses`. */
  model: z.object({ provider: z.string(), modelId: z.string() }),
  /** Builds of old do not have them. */
  instructions: z.string().default(""),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string().nullable(),
      inputSchema: jsonSchemaObjectSchema,
      /** `sometimes`: a function of the arguments decides. */
      needsApproval: z.enum(["never", "sometimes", "always"]),
      /** How long a call waits for its approval. Builds of old do not have it. */
      approvalTimeoutMs: z
        .int()
        .min(1)
        .default(30 * 24 * 3_600_000),
    }),
  ),
  ...agentOptionsSchema.omit({ timeout: true, callTimeout: true }).shape,
  callTimeoutMs: z.int().min(1),
});

/** The environment variables that the project's code reads, as far as its syntax shows. */
const manifestEnvironmentSchema = z.object({
  /** Names in its code. */
  reads: z.array(z.string()),
  /** It computes names, or passes the environment to other code: it may read any variable. */
  readsAny: z.boolean(),
  /** The variables of the secrets that verify webhooks. */
  secrets: z.array(
    z.object({
      name: z.string(),
      /** The files of their triggers: paths in the project. */
      triggers: z.array(z.string()),
      /** No other code reads it. */
      isOnlyVerified: z.boolean(),
      /**
       * The code expects that it is set, e.g. because it checks the whole environment, or would load it from a file.
       * Without other reads, any string of the same length will do.
       */
      isExpected: z.boolean(),
    }),
  ),
});

/** The manifest of a build: `.signalbox/manifest.json`. All other files of the build are below `folder`. */
export const manifestSchema = z.object({
  format: z.literal(1),
  /** Content hash of everything in the build: equal for equal projects. */
  version: z.string(),
  builtAt: z.iso.datetime(),
  name: z.string(),
  /** Folder of this build, relative to `.signalbox/`, e.g. `builds/9f31c2ab`. */
  folder: z.string(),
  /**
   * Module below `folder` that the receiver loads: exports `triggers`, sources and target references in the order of
   * attachment ids.
   */
  sources: z.string(),
  settings: projectSettingsSchema,
  /** In the order of attachment ids (code units). */
  triggers: z.array(manifestTriggerSchema),
  workflows: z.array(manifestWorkflowSchema),
  /** Builds of old have none. */
  agents: z.array(manifestAgentSchema).default([]),
  /** Builds of old do not have it. */
  environment: manifestEnvironmentSchema.default({ reads: [], readsAny: true, secrets: [] }),
});

export type StepCall = z.infer<typeof stepCallSchema>;
export type ManifestTrigger = z.infer<typeof manifestTriggerSchema>;
export type ManifestWorkflow = z.infer<typeof manifestWorkflowSchema>;
export type ManifestAgent = z.infer<typeof manifestAgentSchema>;
export type ManifestEnvironment = z.infer<typeof manifestEnvironmentSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
