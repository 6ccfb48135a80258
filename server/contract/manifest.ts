import { z } from "zod";
import { dedupeSchema } from "./dedupe.ts";
import { jsonSchemaObjectSchema } from "./json.ts";
import { rateSchema } from "./rate.ts";
import { projectSettingsSchema } from "./settings.ts";
import { endpointSchema, slugSchema } from "./slug.ts";
import { targetSchema } from "./target.ts";

/** How a workflow is tried again. `initialMs` doubles up to `maxMs` when exponential. */
const retryPolicySchema = z.object({
  attempts: z.int().min(1).max(100),
  backoff: z.enum(["exponential", "fixed"]),
  initialMs: z.int().min(0),
  maxMs: z.int().min(0),
});

export const manifestTriggerSchema = z.object({
  slug: slugSchema,
  endpoint: endpointSchema,
  attachmentId: z.string(),
  target: targetSchema,
  /** Path in the project, with `/`. */
  file: z.string(),
  /** Path of its module in the build folder: default export is the trigger, with its transform. */
  module: z.string(),
  hasTransform: z.boolean(),
  request: jsonSchemaObjectSchema,
  filter: jsonSchemaObjectSchema.nullable(),
  /** The scheme by which its requests are signed, e.g. `github`; builds of old do not have it. */
  verify: z.string().nullable().default(null),
  dedupe: dedupeSchema.nullable().default(null),
  rateLimit: rateSchema.nullable().default(null),
});

const manifestWorkflowSchema = z.object({
  slug: slugSchema,
  file: z.string(),
  module: z.string(),
  input: jsonSchemaObjectSchema,
  output: jsonSchemaObjectSchema.nullable(),
  retries: retryPolicySchema,
  timeoutMs: z.int().min(1),
  concurrency: z.int().min(1).nullable(),
  /** Builds of old do not have it. */
  maxQueued: z.int().min(1).nullable().default(null),
});

/** What one build made: `.signalbox/manifest.json`. Everything else of the build lies below `folder`. */
export const manifestSchema = z.object({
  format: z.literal(1),
  /** Content hash of everything in the build: equal for equal projects. */
  version: z.string(),
  builtAt: z.iso.datetime(),
  name: z.string(),
  /** Folder of this build, relative to `.signalbox/`, e.g. `builds/9f31c2ab`. */
  folder: z.string(),
  /** Module below `folder` that the receiver loads: exports `triggers`, sources and target references in the order of attachment ids. */
  sources: z.string(),
  settings: projectSettingsSchema,
  /** In the order of attachment ids (code units). */
  triggers: z.array(manifestTriggerSchema),
  workflows: z.array(manifestWorkflowSchema),
});

export type RetryPolicy = z.infer<typeof retryPolicySchema>;
export type ManifestTrigger = z.infer<typeof manifestTriggerSchema>;
export type ManifestWorkflow = z.infer<typeof manifestWorkflowSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
