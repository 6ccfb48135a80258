import type { PromptDefinition, VerificationDefinition } from "../../sdk/definition.ts";
import type { VerdictOutcome } from "../contract/delivery.ts";
import type { RequestFields } from "../domain/deliveries/request-fields.ts";
import type { CodeExcerpt } from "../contract/timeline.ts";
import type { BodyFormat, Challenge, Dedupe, Methods, OnMismatch, Rate, Reply } from "../contract/project/endpoint.ts";
import type { FailedBuild } from "../contract/project/failed-build.ts";
import type { Json } from "../contract/json.ts";
import type { RunKeyParts } from "../contract/project/run-key.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { Target } from "../contract/project/target.ts";
import type { LanguageModel, LoadedTool } from "./model.ts";

/** A Zod 4 or Zod 3 schema of the project: the part that Signalbox calls. */
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

/** A schema for the headers or for the query of a request. */
export interface FieldsSchema {
  schema: AnySchema;
  /** The names of the fields that it takes as arrays of all values. */
  lists: readonly string[];
}

/** A trigger as loaded by the receiver: its schemas, without its transform and its target's code. */
export interface TriggerSource {
  slug: string;
  endpoint: string;
  attachmentId: string;
  target: Target | null;
  request: AnySchema;
  filter: AnySchema | null;
  /** The kind of event that a typed source selects. A body of another kind is a mismatch of the filter. */
  event?: AnySchema | null;
  /** The condition on the headers, if any. */
  headers?: FieldsSchema | null;
  /** The condition on the query, if any. */
  query?: FieldsSchema | null;
  /** The signature verification, if any. Like `dedupe` and `rateLimit`, it is the same for all triggers on an endpoint. */
  verify?: VerificationDefinition | null;
  dedupe?: Dedupe | null;
  /** Default: JSON only. Like `verify`, it is the same for all triggers on an endpoint. */
  body?: readonly BodyFormat[];
  rateLimit?: Rate | null;
  /** Default: a body that matches no `request` is rejected if the endpoint has one trigger. */
  onMismatch?: OnMismatch | null;
  reply?: Reply | null;
  /** The tests of the sender that the receiver answers. Default: none. */
  challenges?: readonly Challenge[];
  /** Default: POST. */
  methods?: Methods;
  /** The values that make the key of its runs. Default: none. */
  key?: RunKeyParts | null;
}

/**
 * Selects the triggers on an endpoint that a request can match, without running their schemas. `fields`: the
 * headers and the query. Default: they are not evaluated.
 */
export interface TriggerIndex {
  /** Ascending indexes in the endpoint's list of triggers. A trigger that is missing certainly does not match. */
  candidates(body: Json, fields?: RequestFields | null): readonly number[];
  /** The number of the other triggers, by the field that excludes them. */
  countExcluded(body: Json, fields?: RequestFields | null): ReadonlyMap<ExcludingField, number>;
  /** The field that excludes a trigger; `null`: the trigger is a candidate. */
  excludingField(at: number, body: Json, fields?: RequestFields | null): ExcludingField | null;
}

/**
 * A field that requires one of some fixed values, in the `headers`, the `query`, the `request` or the `filter` of
 * triggers. One object for each.
 */
export interface ExcludingField {
  outcome: Exclude<VerdictOutcome, "matched" | "disabled">;
  path: readonly string[];
}

/** The project as loaded by the receiver and by web. A reload replaces all of it. */
export interface ProjectSources {
  manifest: Manifest;
  /** In the order of attachment ids. */
  triggers: readonly TriggerSource[];
  byEndpoint: ReadonlyMap<string, readonly TriggerSource[]>;
  /** Of the lists in `byEndpoint`. */
  indexes: ReadonlyMap<string, TriggerIndex>;
}

/** Returns the active sources. Callers read them once per request. */
export interface ProjectReader {
  current(): ProjectSources;
  /** The newest build, if it failed and an older one is active. Absent if builds are not watched. */
  failedBuild?(): FailedBuild | null;
}

export interface LoadedWorkflow {
  slug: string;
  input: AnySchema;
  output: AnySchema | null;
  run(input: unknown, ctx: unknown): unknown;
  onFailure?: OnFailure | null;
}

/** `run`: a FailedRun of the SDK. */
type OnFailure = (run: unknown, ctx: unknown) => unknown;

export interface LoadedAgent {
  slug: string;
  model: LanguageModel;
  instructions: string;
  tools: ReadonlyMap<string, LoadedTool>;
  output: AnySchema | null;
  onFailure?: OnFailure | null;
}

/** A trigger as loaded by workers. `prompt` is only for agents. */
export interface LoadedTrigger {
  request: AnySchema;
  headers?: FieldsSchema | null;
  query?: FieldsSchema | null;
  /** The headers in which its verification reads the signature. Default: none. */
  proofHeaders?: readonly string[];
  transform: ((payload: unknown, context: unknown) => unknown) | null;
  prompt?: PromptDefinition | null;
}

/** The project's code as loaded by worker processes. Modules are loaded on first use; `null` if not in this build. */
export interface ProjectCode {
  manifest: Manifest;
  /** The version that accepted the run, if this build executes it instead. */
  replaces?: string;
  workflow(slug: string): Promise<LoadedWorkflow | null>;
  agent(slug: string): Promise<LoadedAgent | null>;
  trigger(attachmentId: string): Promise<LoadedTrigger | null>;
  /** Maps a stack from built positions to the project's files and lines. */
  mapStack(stack: string): string;
  /** The line of the project's files that a stack points to, with the code around it as built; `null` if there is none. */
  excerptOf(stack: string): CodeExcerpt | null;
}
