import type { Agent } from "../agent/define-agent.ts";
import type { Duration } from "../duration.ts";
import type { Jsonify } from "../jsonify.ts";
import type { Trigger } from "../trigger/define-webhook-source.ts";
import type { Workflow } from "../workflow/define-workflow.ts";
import type {
  Delivery,
  DeliveryFilter,
  DeliverySummary,
  Problem,
  Run,
  RunFilter,
  RunSummary,
  Target,
  TimelineEntry,
} from "./api-types.ts";
import type { FetchLike } from "./transport.ts";

/** Options of `createClient`. */
export interface ClientOptions {
  /** Address of the service, e.g. `"https://hooks.example.com"`. */
  url: string;
  /**
   * An API token, `sbt_…`: `signalbox keys create --api --scope operate` creates one. Keep it on a server: code in a
   * browser shows it to every visitor. Default: none, for `signalbox dev` on the same machine.
   */
  token?: string | undefined;
  /** Retries of a request that fails temporarily. The pause doubles from half a second. Default: 4. */
  retries?: number;
  /** Maximum duration of one request, excluding the time for which it waits for a run. Default: `"30s"`. */
  timeout?: Duration;
  /** Replaces the global `fetch`, e.g. for a proxy. */
  fetch?: FetchLike;
}

/** Options of `start`, `startAgent` and `fire`. */
export interface StartOptions extends CallOptions {
  /**
   * Name of this start, e.g. the id of an order. For 24 hours, further starts of the same target with this key and
   * the same input start nothing, and return the first run. With another input, they throw an ApiError with the code
   * `idempotency_conflict`. Default: a new random key, so that the client's own retries start one run.
   */
  idempotencyKey?: string;
  /**
   * What the run is about, e.g. the id of a customer: text with 1 to 200 characters. Lists of runs filter by it.
   * Default: none; of `fire`, the key of the trigger.
   */
  key?: string;
}

/** Options of `fire`. */
export interface FireOptions extends StartOptions {
  /** Slug of the one workflow or agent to start. Default: every target of the trigger. */
  target?: string;
}

/** Options of `deliver`. */
export interface DeliverOptions extends CallOptions {
  /** Headers of the delivery, e.g. `{ "x-github-event": "issues" }`. Those that describe the body are set. */
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Parameters of the URL, e.g. `{ topic: "refunds" }`; a repeated one has an array. Default: none. */
  query?: Readonly<Record<string, string | readonly string[]>>;
  /** Slug of the only trigger that evaluates the delivery. Default: every trigger on the endpoint. */
  trigger?: string;
}

export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. A run that was started continues. */
  signal?: AbortSignal;
}

export interface WaitOptions extends CallOptions {
  /** Maximum time to wait, e.g. `"10m"`. Default: no limit. */
  timeout?: Duration;
}

export interface EventOptions extends CallOptions {
  /** Id of the last entry that you have: the stream continues after it. Default: 0, which is the beginning. */
  after?: number;
}

export interface ListOptions extends CallOptions {
  /** Rows per request, from 1 to 100. Default: 100. */
  pageSize?: number;
}

/** A run, with the type of its output. */
export interface RunHandle<Output = unknown> {
  /** `run_…` */
  readonly id: string;
  /** Carries the type; the property does not exist at run time. */
  readonly "~output"?: Output;
}

/** What `start` and `startAgent` return. */
export interface StartedRun<Output = unknown> extends RunHandle<Output> {
  /** The run was started earlier, by a request with the same `idempotencyKey`. */
  readonly isRepeat: boolean;
}

/** A run that `fire` started. */
export interface FiredRun<Output = unknown> extends StartedRun<Output> {
  readonly target: Target;
}

/** A run that `deliver` started. */
export interface DeliveredRun<Output = unknown> extends RunHandle<Output> {
  /** Slug of the trigger that matched. */
  readonly trigger: string;
  readonly target: Target;
}

/** The response that a sender would have received, and what the delivery started. */
export interface SentDelivery<Output = unknown> {
  /** HTTP status, e.g. 202 for an accepted delivery and 422 for a body that no trigger accepts. */
  readonly status: number;
  /** `dlv_…`. `null`: it was rejected and not recorded. */
  readonly deliveryId: string | null;
  /** Empty if nothing was started, e.g. for the repeat of an accepted event. */
  readonly runs: DeliveredRun<Output>[];
  /** The runs that waited for this delivery with `ctx.waitFor`. */
  readonly woke: RunHandle[];
  /** Why it was rejected; otherwise `null`. */
  readonly problem: Problem | null;
}

/** One page of a list. */
export interface ListPage<Row> {
  data: Row[];
  /** For the next page. `null`: there is none. A page can be short or empty and still have a next one. */
  nextCursor: string | null;
}

/** All rows, newest first, read page by page while you iterate. `page` reads one page. */
export interface List<Row> extends AsyncIterable<Row> {
  /** The page after a `nextCursor`. Default: the first page. */
  page(cursor?: string | null): Promise<ListPage<Row>>;
}

type SlugOf<Target extends { readonly slug: string }> = Target["slug"];
type InputOf<W extends Workflow> = NonNullable<W["~types"]>["input"];
type OutputOf<T extends Workflow | Agent> = NonNullable<T["~types"]>["output"];
type PayloadOf<T extends Trigger> = T extends Trigger<string, infer Payload, infer _Target> ? Payload : never;
type FiredOutputOf<T extends Trigger> = T extends Trigger ? OutputOf<T["target"]> : never;

/**
 * Starts and reads runs of a Signalbox service. Every method throws an ApiError if the service answers with a problem,
 * and a ConnectionError if it does not answer. Temporary failures are retried first.
 */
export interface SignalboxClient {
  /**
   * Starts a workflow with an input, without a trigger. Resolves when the run is on disk. The type argument is the type
   * of the workflow: `import type`, so none of its code becomes part of your program.
   *
   * @example
   *   import type welcomeEmail from "../workflows/welcome-email.js";
   *
   *   const run = await signalbox.start<typeof welcomeEmail>("welcome-email", {
   *     to: "ada@example.com",
   *     displayName: "Ada",
   *   });
   */
  start<W extends Workflow = Workflow>(
    slug: SlugOf<W>,
    input: InputOf<W>,
    options?: StartOptions,
  ): Promise<StartedRun<OutputOf<W>>>;
  /** The same for an agent, with its prompt. */
  startAgent<A extends Agent = Agent>(
    slug: SlugOf<A>,
    input: { prompt: string },
    options?: StartOptions,
  ): Promise<StartedRun<OutputOf<A>>>;
  /**
   * Starts the targets of a trigger with a body: `request`, `filter` and `transform` are evaluated as for a webhook,
   * without its headers and its signature. No delivery is recorded. Resolves with one run for each target when they are
   * on disk, or with none if `filter` does not match or the trigger is disabled. The type argument is the type of the
   * trigger: the body has the type of its payload. Throws an ApiError with the code `request_mismatch` if the body does
   * not match.
   *
   * @example
   *   import type newSignup from "../triggers/new-signup.js";
   *
   *   const [run] = await signalbox.fire<typeof newSignup>("new-signup", { name: "Ada", email: "ada@example.com" });
   */
  fire<T extends Trigger = Trigger>(
    slug: SlugOf<T["source"]>,
    body: PayloadOf<T>,
    options?: FireOptions,
  ): Promise<FiredRun<FiredOutputOf<T>>[]>;
  /**
   * Sends a delivery to an endpoint, as its sender does: all triggers on the endpoint evaluate body, headers and query,
   * and the delivery is recorded. It needs neither a webhook key nor a signature. Resolves with the response of the
   * endpoint, also if that is a rejection. The type argument is the type of a trigger on the endpoint, or of several:
   * `typeof a | typeof b`. A request whose response is lost is not sent again: it could be delivered twice.
   *
   * @example
   *   import type newSignup from "../triggers/new-signup.js";
   *
   *   const sent = await signalbox.deliver<typeof newSignup>("signup", { name: "Ada", email: "ada@example.com" });
   *   if (sent.problem) console.error(sent.status, sent.problem.detail);
   *   for (const run of sent.runs) console.log(run.trigger, await signalbox.waitFor(run));
   */
  deliver<T extends Trigger = Trigger>(
    endpoint: string,
    body: PayloadOf<T>,
    options?: DeliverOptions,
  ): Promise<SentDelivery<FiredOutputOf<T>>>;
  /**
   * Resolves with the output when the run has completed. The output is what was stored as JSON: a Date is a string.
   * Throws a RunFailedError if the run failed, timed out or was canceled, and a WaitTimeoutError after `timeout`.
   *
   * @example
   *   const { messageId } = await signalbox.waitFor(run, { timeout: "10m" });
   */
  waitFor<Output = unknown>(run: RunHandle<Output> | string, options?: WaitOptions): Promise<Jsonify<Output>>;
  getRun(run: RunHandle | string, options?: CallOptions): Promise<Run>;
  /**
   * Cancels a run, and returns it. A running one is still `running` until its worker has stopped it. Throws an ApiError
   * with the code `run_ended` if it has already ended.
   */
  cancelRun(run: RunHandle | string, options?: CallOptions): Promise<Run>;
  /**
   * @example
   *   for await (const run of signalbox.listRuns({ status: "failed", since: "2026-11-01" })) console.log(run.id);
   */
  listRuns(filter?: RunFilter, options?: ListOptions): List<RunSummary>;
  getDelivery(id: string, options?: CallOptions): Promise<Delivery>;
  listDeliveries(filter?: DeliveryFilter, options?: ListOptions): List<DeliverySummary>;
  /**
   * The timeline of a run, live, until the run ends. After an interruption, it continues with the entry after the last
   * one.
   *
   * @example
   *   for await (const { kind, name } of signalbox.events(run)) console.log(kind, name);
   */
  events(run: RunHandle | string, options?: EventOptions): AsyncIterable<TimelineEntry>;
}
