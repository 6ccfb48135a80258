import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import { deliverySummarySchema } from "../contract/delivery.ts";
import { github } from "../../sdk/verify/index.ts";
import { problemSchema } from "../contract/problem.ts";
import { createThrottledLogger } from "../ports/logger.ts";
import type { WriteTerms } from "../ports/store/delivery-store.ts";
import type { IngestRequest } from "./ingest-request.ts";
import { createReceiver, type ReceiverDeps } from "./receive.ts";
import { type ReceiverEvent, summarizeDelivery } from "./accept.ts";
import { createMemoryDeliveryStore, unavailable } from "./testing/memory-delivery-store.ts";
import { projectOf, triggerOf } from "./testing/project.ts";

const triggers = [
  triggerOf({ slug: "signup", request: z.object({ name: z.string() }) }),
  triggerOf({ slug: "paid", endpoint: "billing", request: z.object({ paid: z.literal(true) }) }),
  triggerOf({
    slug: "all",
    endpoint: "billing",
    request: z.object({ id: z.number() }),
    filter: z.object({ id: z.number().min(10) }),
  }),
];
const hour = 3_600_000;

function receiver(change: Partial<ReceiverDeps> = {}) {
  const store = createMemoryDeliveryStore();
  const time = { now: 1_700_000_000_000 };
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const runsQueued = vi.fn<() => void>();
  const project = projectOf(triggers);
  const receive = createReceiver({
    project: { current: () => project },
    store,
    authenticate: async () => ({ ok: true, keyId: null }),
    signals: { runsQueued },
    clock: { now: () => time.now },
    logger: createThrottledLogger({ debug: log, info: log, warn: log, error: log }),
    maxBodyBytes: 1000,
    isShuttingDown: () => false,
    ...change,
  });
  const send = async (request: Parameters<typeof post>[0]) => {
    const answer = await receive(post(request));
    return { ...answer, json: JSON.parse(answer.body) as Record<string, unknown> };
  };
  return { store, time, logged, runsQueued, receive, send };
}

function fail(): never {
  throw new Error("channel closed");
}

function post({
  endpoint = "signup",
  query = "",
  body = { name: "Ada" } as unknown,
  headers = {} as Record<string, string>,
  method = "POST",
}): IngestRequest {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return {
    method,
    target: `/triggers/${endpoint}${query}`,
    headers: Object.entries({
      "content-type": "application/json",
      "content-length": String(bytes.length),
      ...headers,
    }).flat(),
    async readBody(take) {
      take(bytes);
    },
  };
}

describe("repeats", () => {
  test.each(["Idempotency-Key", "webhook-id"])(
    "with the %s of an accepted request get its answer again, and start nothing",
    async (name) => {
      const { send, store } = receiver();
      const headers = { [name]: "evt_1" };
      const first = await send({ headers });
      const again = await send({ headers });
      expect(again.status).toBe(202);
      expect(again.body).toBe(first.body);
      expect(again.headers["location"]).toBe(first.headers["location"]);
      expect([first.headers["idempotent-replayed"], again.headers["idempotent-replayed"]]).toEqual([undefined, "true"]);
      expect(store.runs).toHaveLength(1);
      const [accepted, repeated] = store.deliveries;
      expect(again.headers["signalbox-delivery"]).toBe(repeated?.id);
      expect(repeated).toMatchObject({
        outcome: "repeated",
        responseStatus: 202,
        verdicts: [{ outcome: "matched", runId: store.runs[0]?.id }],
      });
      expect(repeated?.id).not.toBe(accepted?.id);
    },
  );

  test("of a key with another body are 422, also when that body matches nothing", async () => {
    const { send, store } = receiver();
    const headers = { "idempotency-key": "evt_1" };
    await send({ headers });
    for (const body of [{ name: "Eve" }, { name: 1 }]) {
      const conflict = await send({ headers, body });
      expect([conflict.status, conflict.json["code"]]).toEqual([422, "idempotency_conflict"]);
    }
    await send({ endpoint: "billing", body: { id: 10 }, headers });
    expect((await send({ endpoint: "billing", body: { id: 1 }, headers })).json["code"]).toBe("idempotency_conflict");
    expect(store.deliveries.map(({ outcome }) => outcome)).toEqual([
      "accepted",
      "rejected",
      "rejected",
      "accepted",
      "rejected",
    ]);
    expect(store.deliveries[1]).toMatchObject({
      problem: { code: "idempotency_conflict" },
      verdicts: [{ outcome: "matched", runId: null }],
    });
    expect(store.runs).toHaveLength(2);
  });

  test("are distinguished by endpoint, by header and by key, of any length", async () => {
    const { send, store } = receiver();
    const long = "x".repeat(10_000);
    await send({ headers: { "idempotency-key": "evt_1" } });
    await send({ headers: { "idempotency-key": "evt_2" } });
    await send({ headers: { "webhook-id": "evt_1" } });
    await send({ headers: { "idempotency-key": long } });
    await send({ headers: { "idempotency-key": `${long}y` } });
    await send({ endpoint: "billing", body: { id: 10 }, headers: { "idempotency-key": "evt_1" } });
    await send({ headers: { "idempotency-key": "" } });
    await send({ headers: { "idempotency-key": "" } });
    expect(store.runs).toHaveLength(8);
  });

  test("are remembered for 24 hours", async () => {
    const { send, store, time } = receiver();
    const headers = { "webhook-id": "evt_1" };
    await send({ headers });
    time.now += 24 * hour;
    expect((await send({ headers })).headers["idempotent-replayed"]).toBe("true");
    time.now += 1;
    expect((await send({ headers })).headers["idempotent-replayed"]).toBeUndefined();
    expect(store.runs).toHaveLength(2);
  });

  test("of requests that were not accepted are evaluated again", async () => {
    const { send, store } = receiver();
    const headers = { "idempotency-key": "evt_1" };
    expect((await send({ headers, body: {} })).status).toBe(422);
    expect((await send({ headers, body: {} })).json["code"]).toBe("request_mismatch");
    expect((await send({ endpoint: "billing", headers, body: {} })).json).toEqual({ ok: true, skipped: true });
    expect((await send({ endpoint: "billing", headers, body: {} })).json).toEqual({ ok: true, skipped: true });
    expect((await send({ headers })).status).toBe(202);
    expect((await send({ endpoint: "billing", headers, body: { id: 10 } })).status).toBe(202);
    expect(store.deliveries.map(({ outcome }) => outcome)).toEqual([
      "rejected",
      "rejected",
      "skipped",
      "skipped",
      "accepted",
      "accepted",
    ]);
    expect(new Set(store.deliveries.map(({ id }) => id)).size).toBe(6);
  });

  test("get the first answer also after the schema has changed", async () => {
    let project = projectOf(triggers);
    const { send, store } = receiver({ project: { current: () => project } });
    const headers = { "idempotency-key": "evt_1" };
    const first = await send({ headers });
    project = projectOf([triggerOf({ slug: "signup", request: z.object({ other: z.string() }) })]);
    const again = await send({ headers });
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(store.deliveries[1]).toMatchObject({
      outcome: "repeated",
      problem: null,
      verdicts: [{ outcome: "request_mismatch", runId: store.runs[0]?.id }],
    });
  });
});

describe("the receiver", () => {
  test("notifies about queued runs and each delivery after they are on disk", async () => {
    const events: ReceiverEvent[] = [];
    const { send, runsQueued, store } = receiver({ onEvent: (event) => void events.push(event) });
    await send({});
    expect(runsQueued).toHaveBeenCalledOnce();
    await send({ body: {} });
    await send({ endpoint: "billing" });
    await send({ endpoint: "nowhere" });
    expect(runsQueued).toHaveBeenCalledOnce();
    const reported = events.flatMap((event) =>
      event.type === "delivery" ? deliverySummarySchema.strict().parse(summarizeDelivery(event.delivery)) : [],
    );
    expect(reported.map(({ id, outcome }) => [id, outcome])).toEqual(
      store.deliveries.map(({ id, outcome }) => [id, outcome]),
    );
    expect(reported.map(({ outcome }) => outcome)).toEqual(["accepted", "rejected", "skipped", "rejected"]);
    expect(events.flatMap((event) => (event.type === "rejected" ? event.code : []))).toEqual([
      "request_mismatch",
      "unknown_endpoint",
    ]);
  });

  test("reports each rejection once, and which of them were not recorded or had no key", async () => {
    const events: ReceiverEvent[] = [];
    const onEvent = (event: ReceiverEvent) => void events.push(event);
    await receiver({ onEvent, authenticate: async () => ({ ok: false }) }).send({});
    await receiver({ onEvent, isShuttingDown: () => true }).send({});
    const { send, store } = receiver({ onEvent });
    store.failure = unavailable;
    await send({ headers: { "idempotency-key": "evt_1" }, body: {} });
    expect(events).toEqual([
      { type: "rejected", code: "unauthorized" },
      { type: "unauthenticated" },
      { type: "rejected", code: "shutting_down" },
      { type: "unrecorded", code: "shutting_down" },
      { type: "rejected", code: "store_unavailable" },
      { type: "unrecorded", code: "store_unavailable" },
    ]);
  });

  test("answers 202 for a delivery on disk even if the notification fails", async () => {
    const { send, store, logged } = receiver({
      onEvent: fail,
      signals: { runsQueued: fail },
    });
    expect((await send({})).status).toBe(202);
    expect(store.runs).toHaveLength(1);
    expect(logged).toHaveLength(2);
  });

  test("gives a rejected sender its problem also when the record of it is lost, and says so in the log once, not at every request", async () => {
    const { send, store, logged } = receiver();
    store.failure = unavailable;
    expect((await send({ endpoint: "nowhere" })).status).toBe(404);
    expect((await send({ body: {} })).status).toBe(422);
    expect(logged).toEqual(["could not record a rejected delivery"]);
  });

  test("answers 503 with Retry-After while a queue is full, keeps nothing of it, and says so in the log once", async () => {
    const unrecorded: string[] = [];
    const { send, store, logged, runsQueued } = receiver({
      onEvent: (event) => event.type === "unrecorded" && unrecorded.push(event.code),
    });
    store.full = { target: { kind: "workflow", slug: "signup" }, maxQueued: 7, adds: 1 };
    const answer = await send({});
    expect(answer).toMatchObject({
      status: 503,
      headers: { "retry-after": "10" },
      json: {
        code: "queue_full",
        detail: expect.stringContaining("workflow signup is full: its maxQueued is 7"),
      },
    });
    await send({});
    expect([store.deliveries, store.runs, unrecorded]).toEqual([[], [], ["queue_full", "queue_full"]]);
    expect(logged).toEqual(["queue full"]);
    expect(runsQueued).not.toHaveBeenCalled();
    // What starts nothing needs no room.
    expect((await send({ endpoint: "billing", body: { id: 1 } })).status).toBe(200);
  });

  test("turns a defect into a 500 that says nothing of it, and records it", async () => {
    const { send, store, logged } = receiver();
    store.acceptDelivery = () => Promise.reject(new Error("secret row"));
    const answer = await send({});
    expect([answer.status, answer.json["code"]]).toEqual([500, "internal"]);
    expect(answer.body).not.toContain("secret");
    expect(logged).toEqual(["receiver failed"]);
    expect(store.deliveries).toMatchObject([{ outcome: "rejected", responseStatus: 500 }]);
  });

  test("does not reread the project within a request", async () => {
    const current = vi.fn<() => ReturnType<typeof projectOf>>(() => projectOf(triggers));
    const { send } = receiver({ project: { current } });
    await send({});
    expect(current).toHaveBeenCalledOnce();
  });

  test("keeps at most 256 characters of an endpoint that it does not know", async () => {
    const { send, store } = receiver();
    expect((await send({ endpoint: "x".repeat(5000) })).status).toBe(404);
    expect(store.deliveries[0]?.endpoint).toBe("x".repeat(256));
  });

  const parts = fc.constantFrom(
    "signup",
    "billing",
    "%zz",
    "%00",
    "/",
    "..",
    "é",
    '"title"',
    "status",
    "404",
    "?",
    "&token=",
    "?token=",
    "?api_key=",
    "%22status%22",
    "=",
  );
  const values = fc.oneof(
    fc.constantFrom(
      "application/json",
      "text/plain",
      "Bearer x",
      "bearer",
      "Basic abc",
      "gzip",
      '"status":404',
      "1e9",
      "-1",
    ),
    fc.string(),
  );
  const names = fc.constantFrom(
    "content-type",
    "authorization",
    "x-api-key",
    "content-length",
    "content-encoding",
    "idempotency-key",
    "webhook-id",
    "cookie",
    "__proto__",
    "x",
  );

  test("gives every request an answer of the contract, and never one that fails", async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          method: fc.constantFrom("POST", "POST", "POST", "GET", "TRACE"),
          endpoint: fc.oneof(
            fc.constantFrom("signup", "billing"),
            fc.array(parts, { maxLength: 5 }).map((all) => all.join("")),
          ),
          headers: fc.oneof(fc.constant({}), fc.dictionary(names, values, { maxKeys: 5 })),
          body: fc.oneof(
            fc.constantFrom<unknown>({ name: "a" }, { id: 10 }, "", "{", "[".repeat(900), "x".repeat(2000)),
            fc.json(),
          ),
          isOpen: fc.boolean(),
        }),
        async ({ isOpen, ...request }) => {
          const { send, store } = receiver({
            authenticate: async (presented) =>
              isOpen || presented.includes("x") ? { ok: true, keyId: null } : { ok: false },
          });
          const answer = await send(request);
          statuses.add(answer.status);
          expect([200, 202, 400, 401, 404, 405, 413, 415, 422]).toContain(answer.status);
          expect(answer.status < 400 || problemSchema.strict().safeParse(answer.json).success).toBe(true);
          expect(store.deliveries).toHaveLength(1);
          expect(store.deliveries[0]?.responseStatus).toBe(answer.status);
          expect("signalbox-delivery" in answer.headers).toBe(answer.status !== 401);
        },
      ),
      { numRuns: 2000 },
    );
    expect([...statuses].sort()).toEqual([200, 202, 400, 401, 404, 405, 413, 415, 422]);
  });

  test("passes on an expected failure of the store by its code", async () => {
    const { send, store } = receiver();
    store.failure = new AppError("rate_limited", "Too many.");
    expect((await send({})).status).toBe(429);
  });
});

describe("a delivery that a person sends from a form", () => {
  const project = projectOf([
    triggerOf({
      slug: "paid",
      endpoint: "billing",
      request: z.object({ id: z.string() }),
      verify: github({ secret: "a secret of the sender" }),
    }),
  ]);

  test("needs no key and no signature; the record says that the signature was not checked", async () => {
    const { receive, store } = receiver({
      project: { current: () => project },
      authenticate: async () => ({ ok: false }),
      mode: "deployed",
    });
    expect((await receive(post({ endpoint: "billing", body: { id: "a" } }), "form")).status).toBe(202);
    expect(store.deliveries[0]).toMatchObject({
      outcome: "accepted",
      keyId: null,
      headers: { "signalbox-sent-from": "form", "signalbox-signature-check": "skipped" },
    });
    expect(store.runs[0]).toMatchObject({ startedBy: "form", deliveryId: store.deliveries[0]?.id });
  });

  test("counts for the rate limit of the endpoint, as a webhook does", async () => {
    const { receive } = receiver({ limits: { perEndpoint: { requests: 1, per: "hour" } } });
    expect((await receive(post({}), "form")).status).toBe(202);
    expect((await receive(post({}), "form")).status).toBe(429);
  });

  test("cannot be claimed by a webhook", async () => {
    const { receive, store } = receiver({ project: { current: () => project }, mode: "deployed" });
    const headers = {
      "signalbox-sent-from": "form",
      "Signalbox-Signature-Check": "skipped",
      "signalbox-redelivery-of": "dlv_1",
      "x-own": "kept",
    };
    expect((await receive(post({ endpoint: "billing", body: { id: "a" }, headers }))).status).toBe(401);
    expect(Object.keys(store.deliveries[0]?.headers ?? {})).toEqual(["content-type", "content-length", "x-own"]);
  });
});

const never = () => new Promise<never>(() => {});
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The response under virtual time, and the milliseconds until it. */
async function timeOf<Result>(answering: Promise<Result>): Promise<{ answer: Result; ms: number }> {
  const since = performance.now();
  let ms = NaN;
  const answered = answering.then((answer) => {
    ms = performance.now() - since;
    return answer;
  });
  for (let n = 0; n < 200 && Number.isNaN(ms); n += 1) {
    await vi.advanceTimersByTimeAsync(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { answer: await answered, ms };
}

describe("the time limit of a response", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  test.each<[string, Partial<ReceiverDeps>]>([
    ["the keys", { authenticate: never }],
    ["the rate limits", { takeRates: never, limits: { perEndpoint: { requests: 1, per: "second" } } }],
    ["the disabled triggers", { disabledTriggers: never }],
    ["the write", { store: { acceptDelivery: never, recordDelivery: never } }],
  ])("is ten seconds, even if the store gives no result for %s: 503 with Retry-After", async (_, change) => {
    const { receive } = receiver(change);
    const { answer, ms } = await timeOf(receive(post({})));
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "2"]);
    expect(ms).toBeGreaterThan(9_000);
    expect(ms).toBeLessThanOrEqual(10_000);
  });

  test("gives each write the time that is left, without the time in which the body arrived", async () => {
    const limits: (WriteTerms | undefined)[] = [];
    const acceptDelivery: ReceiverDeps["store"]["acceptDelivery"] = async (_, terms) => {
      limits.push(terms && { by: terms.by - performance.now() });
      return { kind: "accepted" };
    };
    const { receive } = receiver({
      authenticate: () => pause(3_000).then(() => ({ ok: true, keyId: null })),
      store: { acceptDelivery, recordDelivery: never },
    });
    const request: IngestRequest = {
      ...post({}),
      readBody: (take) => pause(60_000).then(() => void take(Buffer.from('{"name":"Ada"}'))),
    };
    const { answer } = await timeOf(receive(request));
    expect(answer.status).toBe(202);
    expect(limits).toEqual([{ by: expect.closeTo(6_500, -1) }]);
  });

  test("ends with the connection: an abandoned request does not begin its writes, but its rejection is recorded", async () => {
    const seen: unknown[] = [];
    const acceptDelivery: ReceiverDeps["store"]["acceptDelivery"] = async (_, terms) => {
      seen.push(terms?.isAbandoned?.());
      throw unavailable;
    };
    const recordDelivery: ReceiverDeps["store"]["recordDelivery"] = async (_, terms) =>
      void seen.push(terms?.isAbandoned?.());
    const { receive, logged } = receiver({ store: { acceptDelivery, recordDelivery } });
    await receive({ ...post({}), isAbandoned: () => true });
    await receive({ ...post({}), isAbandoned: () => false });
    await receive({ ...post({ body: "{" }), isAbandoned: () => true });
    expect(seen).toEqual([true, false, undefined]);
    // A sender that leaves is no failure of the store.
    expect(logged).toEqual(["sender left before its delivery was stored", "could not store a delivery"]);
  });
});
