import type { PromptDefinition, VerificationDefinition } from "../../sdk/definition.ts";
import type { CodeExcerpt } from "../contract/code-excerpt.ts";
import type { Dedupe } from "../contract/dedupe.ts";
import type { FailedBuild } from "../contract/failed-build.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { Rate } from "../contract/rate.ts";
import type { Target } from "../contract/target.ts";
import type { LanguageModel, LoadedTool } from "./model.ts";

/** A Zod schema of the user's, of Zod 4 or Zod 3: all that we ever call. */
export interface AnySchema {
  safeParse(
    value: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: readonly AnyIssue[] } };
}

/** A Zod issue of either version. */
export interface AnyIssue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** A trigger as the receiver knows it: its schemas, but neither its transform nor its target's code. */
export interface TriggerSource {
  slug: string;
  endpoint: string;
  attachmentId: string;
  target: Target;
  request: AnySchema;
  filter: AnySchema | null;
  /**
   * How its requests are signed, where they are. The same for all triggers on an endpoint, as `dedupe` and `rateLimit`
   * are.
   */
  verify?: VerificationDefinition | null;
  dedupe?: Dedupe | null;
  rateLimit?: Rate | null;
}

/** Knows which triggers on an endpoint a body may match at all, without asking their schemas. */
export interface TriggerIndex {
  /** Places in the list of the endpoint's triggers, rising. What is not named certainly does not match. */
  candidates(body: Json): readonly number[];
}

/** The project as web processes know it. Replaced as a whole on reload. */
export interface ProjectSources {
  manifest: Manifest;
  /** In the order of attachment ids. */
  triggers: readonly TriggerSource[];
  byEndpoint: ReadonlyMap<string, readonly TriggerSource[]>;
  /** Of the lists in `byEndpoint`. */
  indexes: ReadonlyMap<string, TriggerIndex>;
}

/** Gives the sources in force now. Callers ask once per request and keep the answer. */
export interface ProjectReader {
  current(): ProjectSources;
  /** The newest build, if it failed and an older one is in force. Absent where builds are not followed. */
  failedBuild?(): FailedBuild | null;
}

export interface LoadedWorkflow {
  slug: string;
  input: AnySchema;
  output: AnySchema | null;
  run(input: unknown, ctx: unknown): unknown;
}

export interface LoadedAgent {
  slug: string;
  model: LanguageModel;
  instructions: string;
  tools: ReadonlyMap<string, LoadedTool>;
  output: AnySchema | null;
}

/** A trigger as workers know it. `prompt` is of agents. */
export interface LoadedTrigger {
  request: AnySchema;
  transform: ((payload: unknown) => unknown) | null;
  prompt?: PromptDefinition | null;
}

/** The project's code, as worker processes know it. Modules are loaded when first asked for; `null`: not in this build. */
export interface ProjectCode {
  manifest: Manifest;
  workflow(slug: string): Promise<LoadedWorkflow | null>;
  agent(slug: string): Promise<LoadedAgent | null>;
  trigger(attachmentId: string): Promise<LoadedTrigger | null>;
  /** Rewrites a stack from built positions to the user's own files and lines. */
  mapStack(stack: string): string;
  /**
   * The place in the user's own files that a stack points to, with the code around it as it was built; `null`: there is
   * none.
   */
  excerptOf(stack: string): CodeExcerpt | null;
}
