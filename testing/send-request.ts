import { checkNames } from "../sdk/check-shape.ts";
import type { SourceDefinition } from "../sdk/definition.ts";
import { fixtureKind, type Fixture } from "../sdk/test-project/fixture.ts";
import type { DeliverOptions, TestDelivery } from "../sdk/test-project/index.ts";
import type { Settings } from "../server/config.ts";
import { noVerdicts, type Verdict } from "../server/contract/delivery.ts";
import { problemSchema } from "../server/contract/problem.ts";
import { toWire } from "../server/domain/deliveries/header-values.ts";
import { joinQueries, printQuery } from "../server/shared/deliveries/query-text.ts";
import { onlyJson } from "../server/domain/requests/body-format.ts";
import { createBodyBudget } from "../server/domain/requests/request-body.ts";
import { encodeBody, sentTypes } from "../server/shared/schema/encode-body.ts";
import { type IngestRequest, type IngestResponse, readHead } from "../server/ingest/ingest-request.ts";
import { createReceiver, type Receive } from "../server/ingest/receive.ts";
import { signedRequestOf } from "../server/ingest/verify.ts";
import type { Clock } from "../server/ports/clock.ts";
import { silentLogger } from "../server/ports/logger.ts";
import type { ProjectSources, TriggerSource } from "../server/ports/project.ts";
import type { Store } from "../server/ports/store.ts";

type Deliver = (endpoint: string, body: unknown, options?: DeliverOptions) => Promise<TestDelivery>;

/** Receives webhooks as the service does, but without sockets and keys. */
export function createDeliver(service: {
  settings: Settings;
  sources: ProjectSources;
  store: Store;
  clock: Clock;
}): Deliver {
  const { settings, sources, store, clock } = service;
  const create = (mode: "development" | "deployed"): Receive =>
    createReceiver({
      project: { current: () => sources },
      store,
      authenticate: async () => ({ ok: true, keyId: null }),
      clock,
      logger: silentLogger,
      mode,
      maxBodyBytes: settings.maxBodyBytes,
      bodies: createBodyBudget(settings.maxBodyBytes),
      limits: settings.limits,
      baseUrl: settings.baseUrl,
      isShuttingDown: () => false,
      disabledTriggers: () => store.listDisabledTriggers(),
    });
  // In development, the receiver accepts unsigned requests.
  const receivers = { lenient: create("development"), strict: create("deployed") };

  return async (endpoint, body, options = {}) => {
    checkNames(options, "deliver", ["headers", "sign", "method", "query"]);
    const [source = null] = sources.byEndpoint.get(endpoint) ?? [];
    const request = createRequest(endpoint, { body, options, source });
    const signed = options.sign === true ? sign(request, { source, settings, clock }) : request;
    const response = await (options.sign === undefined ? receivers.lenient : receivers.strict)(signed);
    return await readDelivery(store, endpoint, response);
  };
}

/** A request whose body is complete. */
interface TestRequest extends IngestRequest {
  body: Uint8Array;
}

function createRequest(
  endpoint: string,
  { body, options, source }: { body: unknown; options: DeliverOptions; source: TriggerSource | null },
): TestRequest {
  const given: Omit<Fixture, typeof fixtureKind> = isFixture(body) ? body : { headers: {}, body };
  const { contentType, bytes } = encode(endpoint, given.body, source, options.method ?? given.method);
  const method = options.method ?? given.method ?? source?.methods?.[0] ?? "POST";
  const isGet = method === "GET";
  const ownQuery = options.query ? printQuery(options.query) : (given.query ?? "");
  const query = joinQueries(ownQuery, isGet ? Buffer.from(bytes).toString() : "");
  const target = `/triggers/${endpoint}${query === "" ? "" : `?${query}`}`;
  const headers = {
    host: "localhost",
    "user-agent": "signalbox-testing",
    ...(!isGet && { "content-type": contentType }),
    ...lowerCase(given.headers),
    ...lowerCase(options.headers ?? {}),
    ...(!isGet && { "content-length": String(bytes.length) }),
  };
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, toWire(value)]);
  return toRequest({ method, target }, Object.fromEntries(sent), isGet ? new Uint8Array() : bytes);
}

function toRequest(
  { method, target }: Pick<TestRequest, "method" | "target">,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): TestRequest {
  return {
    method,
    target,
    headers: Object.entries(headers).flat(),
    body,
    readBody: (take) => void take(body),
  };
}

function isFixture(body: unknown): body is Fixture {
  return typeof body === "object" && body !== null && fixtureKind in body;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function encode(
  endpoint: string,
  body: unknown,
  source: TriggerSource | null,
  method: DeliverOptions["method"],
): { contentType: string; bytes: Uint8Array } {
  const formats = source?.body ?? onlyJson;
  const format = method === "GET" ? formats.find(({ type }) => type === "form") : formats[0];
  if (!format)
    throw new TypeError(`The endpoint ${endpoint} does not accept GET. Set methods: ["GET"] in its sources.`);
  if (typeof body === "string") return { contentType: sentTypes[format.type], bytes: Buffer.from(body) };
  if (body instanceof Uint8Array) return { contentType: sentTypes[format.type], bytes: body };
  const text = JSON.stringify(body);
  const encoded = text === undefined ? null : encodeBody(format, text);
  if (!encoded)
    throw new TypeError(
      `The endpoint ${endpoint} accepts ${format.type} bodies, and this value cannot be sent as one. Pass an object, a string or bytes.`,
    );
  return { contentType: encoded.contentType, bytes: Buffer.from(encoded.body) };
}

function sign(
  request: TestRequest,
  { source, settings, clock }: { source: TriggerSource | null; settings: Settings; clock: Clock },
): TestRequest {
  const verify: SourceDefinition["verify"] | null = source?.verify;
  if (!source || !verify)
    throw new Error("The endpoint does not verify signatures, so there is nothing to sign. Leave out `sign`.");
  const head = readHead(request, clock.now());
  const added = verify.sign(signedRequestOf(request, head, { body: request.body, baseUrl: settings.baseUrl }));
  if (!added)
    throw new Error(
      `A test cannot sign as ${verify.scheme} does: only the sender has the key, or the body has the signature. Leave out \`sign\`: the endpoint then accepts the request without a signature.`,
    );
  return toRequest(request, { ...Object.fromEntries(head.headers), ...added }, request.body);
}

async function readDelivery(store: Store, endpoint: string, response: IngestResponse): Promise<TestDelivery> {
  const id = response.headers["signalbox-delivery"] ?? null;
  const recorded = id === null ? null : await store.getDelivery(id);
  const woken = id === null ? null : (await store.findWoken([id])).get(id);
  const body = parse(response.body);
  const { verdicts } = recorded ?? noVerdicts;
  const problem = recorded?.problem ?? problemSchema.safeParse(body).data ?? null;
  const outcome = recorded?.outcome ?? "rejected";
  return {
    id: recorded ? id : null,
    endpoint,
    status: response.status,
    response: body,
    outcome,
    verdicts: verdicts.map(({ trigger, target, outcome: decided, reasons }) => ({
      trigger,
      target,
      outcome: decided,
      reasons,
    })),
    runs: outcome === "accepted" ? verdicts.flatMap(toStartedRun) : [],
    woke: (woken ?? []).map(({ runId, source }) => ({ id: runId, source })),
    problem: problem && { code: problem.code, title: problem.title, detail: problem.detail },
  };
}

function toStartedRun({ runId, trigger, target }: Verdict): TestDelivery["runs"] {
  return runId === null || target === null ? [] : [{ id: runId, trigger, target }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
