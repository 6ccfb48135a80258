import type { BodyOptions, EndpointSettings, ReplyOptions } from "./endpoint-settings.ts";
import type { StepPolicy } from "./retry-options.ts";
import type { RunKey } from "./run-key.ts";
import type { AgentSettings, WorkflowSettings } from "./target-settings.ts";

/**
 * The key that marks definitions at run time. The build and the workers read it; user code never does. It is a
 * registered symbol, so that two copies of the SDK in one project recognise each other's definitions.
 */
export const definitionKind: unique symbol = Symbol.for("signalbox.definition") as never;

/**
 * Where a worker has the function that the client of the SDK calls when a run's code waits for another run. A
 * registered symbol, as above.
 */
export const waitReporter: unique symbol = Symbol.for("signalbox.wait-reporter") as never;

/** Of a source: the type of its payload. It has no value. */
export declare const payloadType: unique symbol;

/** Any Zod 4 or Zod 3 schema. */
export interface SchemaLike {
  safeParse(value: unknown): unknown;
}

export interface SourceDefinition extends Readonly<EndpointSettings> {
  readonly [definitionKind]: "source";
  readonly slug: string;
  readonly endpoint: string;
  readonly request: SchemaLike;
  readonly filter?: SchemaLike | undefined;
  /**
   * The kind of event that a typed source selects. It belongs to `filter`, but is evaluated before `request`: another
   * kind of event has other fields.
   */
  readonly event?: SchemaLike | undefined;
  readonly headers?: SchemaLike | undefined;
  readonly query?: SchemaLike | undefined;
  readonly verify?: VerificationDefinition | undefined;
}

/** The parts of a request that a signature check needs. */
export interface SignedRequest {
  /** The bytes as received. */
  readonly body: Uint8Array;
  /** Unix time in milliseconds. */
  readonly receivedAtMs: number;
  /** The HTTP method as sent, e.g. `POST`. */
  readonly method: string;
  /** The public URL, with its query, e.g. `https://hooks.example.com/triggers/sms?token=…`. `null`: it is unknown. */
  readonly url: string | null;
  /** Value of a header by its lower-case name. Repeated headers are joined by `, `. `null` if it is missing. */
  header(name: string): string | null;
  /** All headers, by lower-case name. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** The fields of a multipart form without its files. Empty if the body is no such form. */
  multipart(): readonly (readonly [name: string, value: string])[];
}

/** Why a signature check failed. `detail` is for people and contains nothing that would help to forge a signature. */
export interface SignatureFault {
  /** `failed`: the check itself failed, so it is unknown whether the request is genuine. */
  readonly kind: "unsigned" | "no_secret" | "malformed" | "mismatch" | "expired" | "failed";
  readonly detail: string;
}

/** The signed content of a request that passed `check`. */
export interface SignedEvent {
  /** Value of a header that the signature covers, by its lower-case name; `null` for every other header. */
  header(name: string): string | null;
  /** Equal for requests with the same signed content, and only for those. The notation of the signature is ignored. */
  contentHash(): string;
  /** Longest time between two valid receipts of one signature, in milliseconds; `null` if the scheme signs no time. */
  readonly validMs: number | null;
  /** Whether the signature covers the body, so that its fields may identify the event. */
  readonly coversBody: boolean;
}

/** The response to a request by which a sender verifies the endpoint. */
export interface SenderAnswer {
  readonly status: 200 | 204;
  /** `null`: the body is empty. */
  readonly contentType: "application/json" | "text/plain" | null;
  readonly body: string;
  /** Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why a verification has no usable secret. It never contains a secret or a part of one. */
export interface SecretProblem {
  readonly kind: "missing" | "unusable";
  /** A predicate: `is not set`, `has 7 bytes, but needs at least 16`. */
  readonly words: string;
  /** The subject of the predicate. Default: `secret`. */
  readonly subject?: string;
  /** What to do, without a full stop. Default: set the secret, or copy the complete one from the sender's settings. */
  readonly fix?: string;
}

/** Checks the signatures of one sender. Only the receiver runs it; other parts know only the scheme's name. */
export interface VerificationDefinition {
  readonly [definitionKind]: "verification";
  readonly scheme: string;
  /** The problem with the secret, as a predicate that follows "Its secret"; `null` if the secret is usable. */
  readonly secretProblem: SecretProblem | null;
  /**
   * Returns `null` if the signature is valid. A promise only if `isTimed`: the check runs code of the project, or waits
   * for another server. The caller limits its time, and aborts `signal` afterwards.
   */
  check(request: SignedRequest, signal?: AbortSignal): SignatureFault | null | Promise<SignatureFault | null>;
  readonly isTimed: boolean;
  /** Whether `check` reads `url` of the request. */
  readonly readsUrl: boolean;
  /**
   * The headers, in lower case, that the signature covers and that may identify an event. `null`: the scheme signs
   * nothing, and all headers are as trustworthy as the body.
   */
  readonly signedHeaders: readonly string[] | null;
  /**
   * Headers, in lower case, that the options name as those with the signature. The project's triggers and transforms
   * never receive them.
   */
  readonly proofHeaders: readonly string[];
  /** Whether the signature covers the body. */
  readonly coversBody: boolean;
  /** The signed content of a request; `null` if the scheme signs nothing. Call it only after `check` returned `null`. */
  readSigned(request: SignedRequest): SignedEvent | null;
  /**
   * The response to a challenge that the sender sends before it delivers events; `null` if the body is no challenge.
   * Call it only after `check`. A promise only if `isTimed`; then the request must be genuine.
   */
  answer(
    body: unknown,
    request: SignedRequest,
    signal?: AbortSignal,
  ): SenderAnswer | null | Promise<SenderAnswer | null>;
  /**
   * The response to an unsigned request by which the sender verifies the URL, or the reason to reject it; `null` if the
   * request is an event. It is called before the body is read. `target` is the path and the query.
   */
  greet(request: { readonly method: string; readonly target: string }): SenderAnswer | SignatureFault | null;
  /**
   * The headers with which the sender would sign this request, for tests of projects. `null`: only the sender can sign,
   * or the signature is in the body.
   */
  sign(request: SignedRequest): Readonly<Record<string, string>> | null;
  /** Media types, in lower case, with which the sender sends JSON, in addition to the usual ones. */
  readonly jsonTypes: readonly string[];
  /**
   * The formats in which the sender sends bodies, the most common one first. Sources without `body` accept them.
   * `null`: they are unknown, and sources without `body` accept JSON.
   */
  readonly bodies: readonly BodyOptions[] | null;
  /** The responses that the sender insists on. Sources without `reply` send them. `null`: any response will do. */
  readonly reply: ReplyOptions | null;
  /**
   * Equal for verifications that accept the same requests. It is derived from the secrets: compare it, but never store
   * or show it.
   */
  fingerprint(): string;
}

export interface WorkflowDefinition extends Readonly<WorkflowSettings> {
  readonly [definitionKind]: "workflow";
  readonly slug: string;
  readonly input: SchemaLike;
  readonly output?: SchemaLike | undefined;
  readonly run: (input: never, ctx: never) => unknown;
  readonly onFailure?: ((run: never, ctx: never) => unknown) | undefined;
}

/**
 * A language model of the AI SDK, e.g. `openai("gpt-5-mini")` from `@ai-sdk/openai`. Signalbox recognises it by its
 * shape: any release of the AI SDK works that implements version 2, 3 or 4 of the model interface.
 */
export interface ModelLike {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<unknown>;
}

/** A tool of the AI SDK (`tool({ … })` from `ai`) or of `defineTool`, recognised by its shape. */
export interface ToolLike {
  readonly type?: string | undefined;
  readonly description?: unknown;
  readonly inputSchema: unknown;
  execute?(input: never, options: never): unknown;
  readonly needsApproval?: unknown;
  /** How long a call waits for its approval. Only `defineTool` sets it. */
  readonly approvalTimeout?: unknown;
  /** The retries and the timeout of a call. Only `defineTool` sets it. */
  readonly policy?: StepPolicy | undefined;
}

export interface AgentDefinition extends Readonly<AgentSettings> {
  readonly [definitionKind]: "agent";
  readonly slug: string;
  readonly model: ModelLike;
  readonly instructions: string;
  readonly tools: Readonly<Record<string, ToolLike>>;
  readonly output?: SchemaLike | undefined;
  readonly onFailure?: ((run: never, ctx: never) => unknown) | undefined;
}

/**
 * A part of a prompt. `path` is its path in the payload, e.g. `customer.email`. `""` means an unknown path of the
 * payload; `null` means that the part came from the project's code.
 */
export interface PromptPart {
  readonly text: string;
  readonly path: string | null;
}

/** The result of the template tag that prompt functions receive. */
export interface MarkedPrompt {
  readonly [definitionKind]: "prompt";
  readonly parts: readonly PromptPart[];
}

export type PromptDefinition = string | ((payload: never, mark: never) => unknown);

/** Replaces a target in the sources bundle, which leaves out the code of targets. */
export interface TargetReference {
  readonly [definitionKind]: "reference";
  readonly kind: "workflow" | "agent";
  readonly slug: string;
}

export interface TriggerDefinition {
  readonly [definitionKind]: "trigger";
  readonly source: SourceDefinition;
  readonly target: WorkflowDefinition | AgentDefinition | TargetReference;
  readonly transform: ((payload: never, context: never) => unknown) | undefined;
  /** Only for agents. */
  readonly prompt?: PromptDefinition | undefined;
  readonly key?: RunKey | undefined;
}
