import type { Agent } from "../agent/define-agent.ts";
import { checkOptions, checkText } from "../check-shape.ts";
import type { Duration } from "../definition.ts";
import { parseDuration } from "../duration.ts";
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
import { ApiError, ConnectionError, RunFailedError, WaitTimeoutError } from "./errors.ts";
import { readEvents } from "./read-events.ts";
import { type ApiRequest, createTransport, type FetchLike, pauseBefore, sleep, type Transport } from "./transport.ts";

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
   * Sends a delivery to an endpoint, as its sender does: all triggers on the endpoint evaluate body and headers, and
   * the delivery is recorded. It needs neither a webhook key nor a signature. Resolves with the response of the
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

/** Below the limits of most proxies for an idle connection. The service allows 60 seconds. */
const waitSeconds = 25;

/**
 * Creates a client of a service. It needs `fetch` only, so it runs in Node 22, browsers and edge runtimes. Throws a
 * TypeError if an option is invalid.
 *
 * @example
 *   import { createClient } from "signalbox/client";
 *
 *   const signalbox = createClient({ url: "https://hooks.example.com", token: process.env.SIGNALBOX_TOKEN });
 */
export function createClient(options: ClientOptions): SignalboxClient {
  const { retries, transport } = openTransport(options);
  const get = async <Result>(path: string, { signal }: CallOptions = {}) =>
    (await transport.request<Result>({ path, signal })).body;

  return {
    start: (slug, input, settings) => start(transport, path`/workflows/${slug}/runs`, { input, ...settings }),
    startAgent: (slug, input, settings) => start(transport, path`/agents/${slug}/runs`, { input, ...settings }),
    async fire(slug, input, { target, ...settings } = {}) {
      const query = { target };
      const { runs, isRepeat } = await startRuns(transport, path`/triggers/${slug}/runs`, {
        input,
        query,
        ...settings,
      });
      return runs.map(({ runId, target }) => ({ id: runId, isRepeat, target }));
    },
    deliver: (endpoint, body, settings) => deliver(transport, { endpoint, body, ...settings }),
    waitFor: (run, settings) => waitFor(transport, idOf(run), settings),
    getRun: (run, settings) => get<Run>(path`/runs/${idOf(run)}`, settings),
    async cancelRun(run, { signal } = {}) {
      const request = { method: "POST", path: path`/runs/${idOf(run)}/cancel`, isRepeatable: false, signal } as const;
      return (await transport.request<Run>(request)).body;
    },
    listRuns: (filter = {}, settings) => createList(transport, { path: "/runs", query: { ...filter } }, settings),
    getDelivery: (id, settings) => get<Delivery>(path`/deliveries/${id}`, settings),
    listDeliveries: (filter = {}, settings) =>
      createList(transport, { path: "/deliveries", query: { ...filter } }, settings),
    events: (run, settings) => ({
      [Symbol.asyncIterator]: () => followRun({ transport, retries, runId: idOf(run) }, settings),
    }),
  };
}

function openTransport(options: ClientOptions): { transport: Transport; retries: number } {
  checkOptions(options, "createClient", 'createClient({ url: "https://hooks.example.com" })');
  const { url, token, retries = 4, timeout = "30s", fetch: given } = options;
  checkText(url, "url", "createClient", "https://hooks.example.com");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`createClient: url must start with https:// or http://, but is ${JSON.stringify(url)}.`);
  if (token !== undefined) checkText(token, "token", "createClient", "sbt_…");
  if (!Number.isInteger(retries) || retries < 0)
    throw new TypeError(`createClient: retries must be an integer of at least 0, but is ${retries}.`);
  const transport = createTransport({
    baseUrl: url.replace(/\/+$/, ""),
    token: token ?? null,
    // Looked up for each request, and called without a receiver, as browsers require.
    fetch: given ?? ((target, init) => fetch(target, init)),
    retries,
    timeoutMs: readDuration(timeout, "createClient: timeout"),
  });
  return { transport, retries };
}

function readDuration(duration: Duration, where: string): number {
  const ms = parseDuration(duration);
  if (ms !== null) return ms;
  throw new TypeError(`${where} must be a duration such as "30s" or "10m", but is ${JSON.stringify(duration)}.`);
}

function idOf(run: RunHandle | string): string {
  return typeof run === "string" ? run : run.id;
}

/** A path with encoded values. */
function path(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}

async function start<Output>(
  transport: Transport,
  route: string,
  request: StartOptions & { input: unknown },
): Promise<StartedRun<Output>> {
  const { id, isRepeat } = await startRuns(transport, route, request);
  return { id, isRepeat };
}

/** What the service started: nothing, if a trigger skipped the body. */
async function startRuns(
  transport: Transport,
  route: string,
  {
    input,
    query = {},
    idempotencyKey = randomKey(),
    signal,
  }: StartOptions & { input: unknown; query?: NonNullable<ApiRequest["query"]> },
): Promise<{ id: string; runs: { runId: string; target: Target }[]; isRepeat: boolean }> {
  const { body, headers } = await transport.request<{ runId?: string; runs?: { runId: string; target: Target }[] }>({
    method: "POST",
    path: route,
    query,
    body: input,
    headers: { "idempotency-key": idempotencyKey },
    signal,
  });
  const { runId = "", runs = [] } = body;
  return { id: runId, runs, isRepeat: headers.get("idempotent-replayed") === "true" };
}

async function deliver<Output>(
  transport: Transport,
  { signal, ...body }: DeliverOptions & { endpoint: string; body: unknown },
): Promise<SentDelivery<Output>> {
  const request = { method: "POST", path: "/deliveries", body, isRepeatable: false, signal } as const;
  const { body: sent } = await transport.request<
    Omit<SentDelivery, "runs"> & { runs: { runId: string; trigger: string; target: Target }[] }
  >(request);
  return { ...sent, runs: sent.runs.map(({ runId, trigger, target }) => ({ id: runId, trigger, target })) };
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function waitFor<Output>(
  transport: Transport,
  runId: string,
  { timeout, signal }: WaitOptions = {},
): Promise<Jsonify<Output>> {
  const timeoutMs = timeout === undefined ? Number.POSITIVE_INFINITY : readDuration(timeout, "waitFor: timeout");
  const end = performance.now() + timeoutMs;
  for (;;) {
    const leftMs = Math.max(0, end - performance.now());
    const wait = Math.min(waitSeconds, Math.ceil(leftMs / 1000));
    const { body: run } = await transport.request<Run>({
      path: path`/runs/${runId}`,
      query: { wait },
      waitMs: wait * 1000,
      signal,
    });
    // The service has checked and stored the output of this run.
    if (run.status === "completed") return run.output as Jsonify<Output>;
    if (run.status === "failed" || run.status === "timed_out" || run.status === "canceled")
      throw new RunFailedError(run, run.status);
    if (performance.now() >= end) throw new WaitTimeoutError(run, timeoutMs);
  }
}

function createList<Row>(
  transport: Transport,
  request: ApiRequest,
  { pageSize = 100, signal }: ListOptions = {},
): List<Row> {
  const page = async (cursor: string | null = null) =>
    (
      await transport.request<ListPage<Row>>({
        ...request,
        query: { ...request.query, limit: pageSize, cursor },
        signal,
      })
    ).body;
  return {
    page,
    async *[Symbol.asyncIterator]() {
      let cursor: string | null = null;
      do {
        const { data, nextCursor }: ListPage<Row> = await page(cursor);
        yield* data;
        cursor = nextCursor;
      } while (cursor !== null);
    },
  };
}

/** Connects again after an interruption, with the id of the last entry. */
async function* followRun(
  { transport, retries, runId }: { transport: Transport; retries: number; runId: string },
  { after = 0, signal }: EventOptions = {},
): AsyncGenerator<TimelineEntry, void, undefined> {
  let lastId = after;
  // Since the last received byte.
  for (let failures = 0; ; failures += 1) {
    try {
      const headers = { accept: "text/event-stream", "last-event-id": String(lastId) };
      const { body } = await transport.open({ path: path`/runs/${runId}/events`, headers, signal });
      if (body === null) throw new ConnectionError("The stream of events has no body.");
      for await (const event of readEvents(body, signal)) {
        failures = 0;
        if (event === null) continue;
        if (event.event === "end") return;
        const entry = JSON.parse(event.data) as TimelineEntry;
        lastId = entry.id;
        yield entry;
      }
      throw new ConnectionError("The stream of events ended before the run.");
    } catch (error) {
      const pauseMs =
        error instanceof ApiError || error instanceof ConnectionError ? pauseBefore(error, failures) : null;
      if (failures >= retries || pauseMs === null) throw error;
      await sleep(pauseMs, signal);
    }
  }
}
