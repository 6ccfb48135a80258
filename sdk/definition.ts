/**
 * What definitions look like at run time. The build and the workers read these; users never see them. The mark is a
 * registered symbol, so that two copies of the SDK in one project understand each other.
 */
export const definitionKind: unique symbol = Symbol.for("signalbox.definition") as never;

/** Any Zod schema, of Zod 4 or Zod 3. */
export interface SchemaLike {
  safeParse(value: unknown): unknown;
}

/** Milliseconds, or a number with its unit: `"250ms"`, `"10s"`, `"5m"`, `"1.5h"`, `"7d"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

export interface RetryOptions {
  /** Attempts in all, the first included. 1 means: never tried again. Default 3. */
  attempts?: number;
  /** `exponential` doubles the wait each time; `fixed` keeps it. Default `exponential`. */
  backoff?: "exponential" | "fixed";
  /** Wait before the second attempt. Default `"1s"`. */
  initialDelay?: Duration;
  /** Longest wait between two attempts. Default `"1h"`. */
  maxDelay?: Duration;
}

export interface SourceDefinition {
  readonly [definitionKind]: "source";
  readonly slug: string;
  readonly endpoint: string;
  readonly request: SchemaLike;
  readonly filter: SchemaLike | undefined;
  readonly verify: VerificationDefinition | undefined;
  readonly dedupe: DedupeOptions | undefined;
  readonly rateLimit: RateLimitOptions | undefined;
}

/** So many requests in so much time: all of them may come at once; from then on they come back evenly. */
export interface RateLimitOptions {
  /** 1 to 1,000,000. */
  requests: number;
  per: "second" | "minute" | "hour";
}

/** What names an event, so that it starts nothing twice. */
export type DedupeOptions =
  | {
      /**
       * A header of the request, e.g. `"x-event-id"`. Where the source has `verify`, it must be a header that the
       * signature covers.
       */
      header: string;
      field?: never;
      /** How long an event is remembered after it was accepted: `"1s"` to `"30d"`. Default `"24h"`. */
      window?: Duration;
    }
  | {
      /**
       * A path in the body to a string or an integer: a JSON Pointer, or names joined by dots: `"/event/id"`,
       * `"event.id"`.
       */
      field: string;
      header?: never;
      /** How long an event is remembered after it was accepted: `"1s"` to `"30d"`. Default `"24h"`. */
      window?: Duration;
    }
  | {
      /** How long an event is remembered after it was accepted: `"1s"` to `"30d"`. On its own it changes only that. */
      window: Duration;
      header?: never;
      field?: never;
    };

/** A request, as far as signatures go. */
export interface SignedRequest {
  /** The bytes as they came. */
  readonly body: Uint8Array;
  readonly receivedAtMs: number;
  /** By its name in lower case; several of one name joined by `, `; `null` where there is none. */
  header(name: string): string | null;
}

/** Why a request is not taken for genuine. `detail` is for people, and holds nothing that would help to sign. */
export interface SignatureFault {
  readonly kind: "unsigned" | "no_secret" | "malformed" | "mismatch" | "expired";
  readonly detail: string;
}

/** What a signature covers, of a request that `check` found genuine. */
export interface SignedEvent {
  /** The value of a header that the signature covers, by its name in lower case; `null` for every other header. */
  header(name: string): string | null;
  /** Equal for requests with the same signed content, however their signature is written down, and only for those. */
  contentHash(): string;
  /** How far apart two receipts of one signature can be, in milliseconds; `null` where the scheme signs no time. */
  readonly validMs: number | null;
}

/** Checks the signatures of one sender. The receiver runs it; everything else knows no more than the scheme's name. */
export interface VerificationDefinition {
  readonly [definitionKind]: "verification";
  readonly scheme: string;
  /** What is wrong with its secret, in words that go on after "Its secret"; `null`: nothing. */
  readonly secretProblem: { readonly kind: "missing" | "unusable"; readonly words: string } | null;
  /** `null`: the request is genuine. */
  check(request: SignedRequest): SignatureFault | null;
  /** The headers, in lower case, that the signature covers and that may identify an event. */
  readonly signedHeaders: readonly string[];
  /** What the signature of a genuine request covers. Call it after `check`. */
  readSigned(request: SignedRequest): SignedEvent;
  /**
   * The answer that the sender waits for before it sends events, when this body asks for it; `null`: it is an ordinary
   * one.
   */
  answer(body: unknown): unknown;
  /**
   * Equal for verifications that let the same requests pass. Made of the secrets: to be compared, never to be kept or
   * shown.
   */
  fingerprint(): string;
}

export interface WorkflowDefinition {
  readonly [definitionKind]: "workflow";
  readonly slug: string;
  readonly input: SchemaLike;
  readonly output: SchemaLike | undefined;
  readonly retries: RetryOptions | undefined;
  readonly timeout: Duration | undefined;
  readonly concurrency: number | undefined;
  readonly maxQueued: number | undefined;
  readonly run: (input: never, ctx: never) => unknown;
}

/**
 * A language model of the AI SDK, e.g. what `openai("gpt-5-mini")` of `@ai-sdk/openai` returns. Told by its shape, so
 * that a project may use any release of the AI SDK that speaks version 2 to 4 of its model interface.
 */
export interface ModelLike {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<unknown>;
}

/** A tool of the AI SDK (`tool({ … })` of `ai`), or of `defineTool`. Told by its shape. */
export interface ToolLike {
  readonly type?: string | undefined;
  readonly description?: unknown;
  readonly inputSchema: unknown;
  execute?(input: never, options: never): unknown;
  readonly needsApproval?: unknown;
  /** How long an approval is waited for; of `defineTool`. */
  readonly approvalTimeout?: unknown;
}

/**
 * What a run may use up at most, over all its calls of the model. A run that goes beyond it fails with
 * `budget_exceeded`.
 */
export interface AgentBudget {
  /** Tokens, in and out together. */
  tokens?: number;
  /** US dollars, by the prices that the service knows (`modelPrices` in signalbox.config.ts). */
  usd?: number;
}

/** How many calls of tools an agent may make. A run whose model asks for more fails with `max_tool_calls_exceeded`. */
export interface AgentToolCalls {
  /** In one answer of the model. Default: 20. */
  perAnswer?: number;
  /** In one run. Default: 100. */
  perRun?: number;
}

export interface AgentDefinition {
  readonly [definitionKind]: "agent";
  readonly slug: string;
  readonly model: ModelLike;
  readonly instructions: string;
  readonly tools: Readonly<Record<string, ToolLike>>;
  readonly output: SchemaLike | undefined;
  readonly maxSteps: number | undefined;
  readonly maxToolCalls: AgentToolCalls | undefined;
  readonly budget: AgentBudget | undefined;
  readonly timeout: Duration | undefined;
  readonly callTimeout: Duration | undefined;
  readonly concurrency: number | undefined;
  readonly maxQueued: number | undefined;
}

/**
 * A piece of a prompt. `path` says where in the payload it came from, e.g. `customer.email`; `""`: from the payload, no
 * matter where; `null`: from the project.
 */
export interface PromptPart {
  readonly text: string;
  readonly path: string | null;
}

/** What the tag that prompt functions get makes of a template literal. */
export interface MarkedPrompt {
  readonly [definitionKind]: "prompt";
  readonly parts: readonly PromptPart[];
}

export type PromptDefinition = string | ((payload: never, mark: never) => unknown);

/** Stands for a target in the sources bundle, where its code is left out. */
export interface TargetReference {
  readonly [definitionKind]: "reference";
  readonly kind: "workflow" | "agent";
  readonly slug: string;
}

export interface TriggerDefinition {
  readonly [definitionKind]: "trigger";
  readonly source: SourceDefinition;
  readonly target: WorkflowDefinition | AgentDefinition | TargetReference;
  readonly transform: ((payload: never) => unknown) | undefined;
  /** Of agents. */
  readonly prompt?: PromptDefinition | undefined;
}
