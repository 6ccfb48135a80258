import { waitReporter } from "../definition.ts";
import { checkNames, checkOptions, checkText } from "../check-shape.ts";
import { type Duration, parseDuration } from "../duration.ts";
import type { Jsonify } from "../jsonify.ts";
import type { Delivery, Run, Target, TimelineEntry } from "./api-types.ts";
import type {
  ClientOptions,
  StartOptions,
  DeliverOptions,
  CallOptions,
  WaitOptions,
  EventOptions,
  ListOptions,
  RunHandle,
  StartedRun,
  SentDelivery,
  ListPage,
  List,
  SignalboxClient,
} from "./client.ts";
import { ApiError, ConnectionError, RunFailedError, WaitTimeoutError } from "./errors.ts";
import { readEvents } from "./read-events.ts";
import { type ApiRequest, createTransport, pauseBefore, sleep, type Transport } from "./transport.ts";

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
  checkNames(options, "createClient", ["url", "token", "retries", "timeout", "fetch"]);
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
  throw new TypeError(
    `${where} must be a duration such as "30s" or "10m", at most "36525d", but is ${JSON.stringify(duration)}.`,
  );
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
    key,
    signal,
  }: StartOptions & { input: unknown; query?: NonNullable<ApiRequest["query"]> },
): Promise<{ id: string; runs: { runId: string; target: Target }[]; isRepeat: boolean }> {
  const { body, headers } = await transport.request<{ runId?: string; runs?: { runId: string; target: Target }[] }>({
    method: "POST",
    path: route,
    query: { ...query, key },
    body: input,
    headers: { "idempotency-key": idempotencyKey },
    signal,
  });
  const { runId = "", runs = [] } = body;
  return { id: runId, runs, isRepeat: headers.get("idempotent-replayed") === "true" };
}

async function deliver<Output>(
  transport: Transport,
  { signal, query, ...delivery }: DeliverOptions & { endpoint: string; body: unknown },
): Promise<SentDelivery<Output>> {
  const parameters = Object.entries(query ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const body = { ...delivery, ...(query && { query: new URLSearchParams(parameters).toString() }) };
  const request = { method: "POST", path: "/deliveries", body, isRepeatable: false, signal } as const;
  const { body: sent } = await transport.request<
    Omit<SentDelivery, "runs" | "woke"> & {
      runs: { runId: string; trigger: string; target: Target }[];
      woke?: { runId: string }[];
    }
  >(request);
  const { runs, woke = [] } = sent;
  return {
    ...sent,
    runs: runs.map(({ runId, trigger, target }) => ({ id: runId, trigger, target })),
    woke: woke.map(({ runId }) => ({ id: runId })),
  };
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A run that waits for another one here occupies a slot of its worker, which says so in the timeline of the run. */
function reportWait(runId: string): void {
  const report: unknown = Reflect.get(globalThis, waitReporter);
  if (typeof report === "function") report(runId);
}

async function waitFor<Output>(
  transport: Transport,
  runId: string,
  { timeout, signal }: WaitOptions = {},
): Promise<Jsonify<Output>> {
  const timeoutMs = timeout === undefined ? Number.POSITIVE_INFINITY : readDuration(timeout, "waitFor: timeout");
  reportWait(runId);
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
