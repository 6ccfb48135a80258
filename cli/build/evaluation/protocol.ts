import type { SecretProblem } from "../../../sdk/definition.ts";
import type { BodyOptions, EndpointSettings } from "../../../sdk/endpoint-settings.ts";
import type { AgentSettings, WorkflowSettings } from "../../../sdk/target-settings.ts";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { FindingKind } from "../schema/finding.ts";

/**
 * Messages between the build and the process that evaluates the project. Stacks refer to built modules and are not
 * mapped yet.
 */

export interface Entry {
  kind: "trigger" | "workflow" | "agent";
  /** Path in the project. */
  file: string;
  /** Path of its module below the build folder. */
  module: string;
}

export type EvaluationRequest =
  /** Loads packages before the project's code needs them, resolved as from a module in the folder `importer`. */
  | { type: "load-packages"; importer: string; packages: readonly string[] }
  | { type: "evaluate"; buildDir: string; entries: Entry[] }
  /** Loads the sources bundle, and compares its triggers with those of the code bundle. */
  | { type: "check-sources"; module: string; files: string[] };

export type EvaluationReply =
  | { type: "evaluating"; file: string }
  | { type: "evaluated"; entry: EvaluatedEntry }
  | { type: "all-evaluated" }
  /** `differing`: files whose trigger differs in the sources bundle. */
  | { type: "sources-checked"; differing: string[]; error: ThrownError | null }
  /** Thrown asynchronously by a module, in a timer or a promise. The process ends. */
  | { type: "crashed"; error: ThrownError };

export interface ThrownError {
  message: string;
  stack: string;
}

export type EvaluatedEntry = { file: string } & (
  | { outcome: "trigger"; trigger: EvaluatedTrigger }
  | { outcome: "workflow"; workflow: EvaluatedWorkflow }
  | { outcome: "agent"; agent: EvaluatedAgent }
  /** The default export has another type, `found`. */
  | {
      outcome: "wrong-export";
      found: "nothing" | "source" | "trigger" | "workflow" | "agent" | "other";
      description: string;
    }
  | { outcome: "threw"; error: ThrownError }
);

/** Options as written. They are not checked yet. */
export type Written<Options> = { readonly [Name in keyof Options]?: unknown };

export interface EvaluatedTrigger extends Written<EndpointSettings> {
  slug: unknown;
  endpoint: unknown;
  hasTransform: boolean;
  /** Whether the transform may use its second argument. */
  readsRequest: boolean;
  request: EvaluatedSchema;
  filter: EvaluatedSchema | null;
  /** Of a typed source: the kind of event that it selects. */
  event: EvaluatedSchema | null;
  headers: EvaluatedSchema | null;
  query: EvaluatedSchema | null;
  /** `fingerprint` is derived from the secrets. It is only compared, never stored. */
  verify: {
    scheme: string;
    problem: SecretProblem | null;
    fingerprint: string;
    /** `null`: the scheme signs nothing. */
    signedHeaders: readonly string[] | null;
    proofHeaders: readonly string[];
    coversBody: boolean;
    readsUrl: boolean;
    /** `null`: unknown. */
    bodies: readonly BodyOptions[] | null;
    /** `null`: none. */
    reply: unknown;
  } | null;
  /** As written. */
  key: unknown;
  /** Of agents. */
  prompt: { kind: "template"; text: string } | { kind: "function" } | null;
  /** `file`: the file with this default export; `null`: none. Without a target: the file exports a source. */
  target: { kind: "workflow" | "agent"; slug: unknown; file: string | null } | null;
}

export interface EvaluatedWorkflow extends Written<WorkflowSettings> {
  slug: unknown;
  input: EvaluatedSchema;
  output: EvaluatedSchema | null;
  hasOnFailure: boolean;
}

export interface EvaluatedAgent extends Written<AgentSettings> {
  slug: unknown;
  model: { provider: string; modelId: string };
  instructions: string;
  tools: EvaluatedTool[];
  output: EvaluatedSchema | null;
  hasOnFailure: boolean;
}

export interface EvaluatedTool {
  name: string;
  description: string | null;
  /** `problem`: why its schema cannot be sent to a model. */
  inputSchema: { json: JsonSchemaObject } | { problem: string };
  needsApproval: "never" | "sometimes" | "always";
  approvalTimeout: unknown;
}

export interface EvaluatedSchema {
  /** `null`: it is not a Zod schema, or it cannot be exported. */
  json: JsonSchemaObject | null;
  problems: SchemaProblem[];
  regexes: { path: string[]; source: string; flags: string; stack: string | null }[];
}

export interface SchemaProblem {
  kind: FindingKind | "export-failed";
  path: string[];
  /** As a user writes it: `.transform()`, `z.date()`. For `export-failed` the reason. */
  method: string;
  /** The stack of the call that created the schema or check. */
  stack: string | null;
}
