import { createHash } from "node:crypto";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { Problem } from "../../contract/problem.ts";
import type { ReceiverEvent } from "../../ingest/accept.ts";
import type { Authenticate } from "../../ingest/receive.ts";
import { unavailable } from "../../ingest/testing/memory-delivery-store.ts";
import { triggerOf } from "../../ingest/testing/project.ts";
import { parseAnswer, sendRaw, serve } from "../testing/serve.ts";

const signup = triggerOf({
  slug: "new-signup",
  endpoint: "signup",
  target: "welcome",
  request: z.object({ name: z.string().trim().min(1), email: z.email() }),
});
const big = triggerOf({
  slug: "big",
  endpoint: "orders",
  request: z.object({ amount: z.number() }),
  filter: z.object({ amount: z.number().min(100) }),
});
const invoices = ["paid", "failed", "a"].map((slug) =>
  triggerOf({
    slug: `invoice-${slug}`,
    endpoint: "billing",
    request: z.object({ type: z.literal(`invoice.${slug}`), amount: z.number() }),
  }),
);
const anyInvoice = triggerOf({
  slug: "invoice",
  endpoint: "billing",
  request: z.object({ amount: z.number() }),
  filter: z.object({ amount: z.number().min(10) }),
});
const nested = triggerOf({ slug: "nested", endpoint: "github/ci", request: z.any() });
const triggers = [signup, big, ...invoices, anyInvoice, nested];

const ada = { name: " Ada ", email: "ada@example.com" };
const json = { "content-type": "application/json" };
const key = "sbk_0123456789abcdefghijklmnopqrstuvwxyz";
const needsKey: Authenticate = async (presented) =>
  presented.length > 0 && presented.every((one) => one === key) ? { ok: true, keyId: "key_1" } : { ok: false };

async function post(url: string, body: unknown, headers: Record<string, string> = json) {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  };
}

describe("POST /triggers/{endpoint}", () => {
  test("a match is 202 with its run, which is on disk with the parsed output of request", async () => {
    const { url, store } = await serve({ triggers });
    const { status, headers, json } = await post(`${url}/triggers/signup`, ada);
    const [run] = store.runs;
    expect(status).toBe(202);
    expect(json).toStrictEqual({
      ok: true,
      runId: run?.id,
      runs: [{ runId: run?.id, trigger: "new-signup", target: { kind: "workflow", slug: "welcome" } }],
    });
    expect(headers.get("location")).toBe(`/api/v1/runs/${run?.id}`);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    const [delivery] = store.deliveries;
    expect(headers.get("signalbox-delivery")).toBe(delivery?.id);
    expect(run).toMatchObject({
      attachmentId: "new-signup:welcome",
      deliveryId: delivery?.id,
      startedBy: "webhook",
      replayOf: null,
      version: "v1",
      maxAttempts: 3,
      payload: { name: "Ada", email: "ada@example.com" },
      input: null,
    });
    const sent = JSON.stringify(ada);
    expect(delivery).toMatchObject({
      endpoint: "signup",
      method: "POST",
      bodyBytes: sent.length,
      bodySha256: createHash("sha256").update(sent).digest("hex"),
      outcome: "accepted",
      responseStatus: 202,
      problem: null,
      verdicts: [{ trigger: "new-signup", outcome: "matched", runId: run?.id, reasons: [] }],
    });
    expect(Buffer.from(delivery?.body ?? []).toString()).toBe(sent);
    expect(delivery?.headers["content-type"]).toBe("application/json");
  });

  test("on a shared endpoint every match fires, in the order of attachment ids, and the others report why not", async () => {
    const { url, store } = await serve({ triggers });
    const { status, json } = await post(`${url}/triggers/billing`, { type: "invoice.paid", amount: 10 });
    expect(status).toBe(202);
    const runs = json["runs"] as { trigger: string; runId: string }[];
    expect(runs.map(({ trigger }) => trigger)).toEqual(["invoice-paid", "invoice"]);
    expect(json["runId"]).toBe(runs[0]?.runId);
    expect((store.deliveries[0]?.verdicts ?? []).map(({ attachmentId, outcome }) => [attachmentId, outcome])).toEqual([
      ["invoice-a:invoice-a", "request_mismatch"],
      ["invoice-failed:invoice-failed", "request_mismatch"],
      ["invoice-paid:invoice-paid", "matched"],
      ["invoice:invoice", "matched"],
    ]);
  });

  test.each(["reject", "skip", "hold"] as const)(
    "a match that has no target is exactly { ok, skipped } with onMismatch %s, and its verdict says that it matched",
    async (onMismatch) => {
      const request = z.object({ order: z.string() });
      const { url, store } = await serve({
        triggers: [triggerOf({ slug: "order-shipped", endpoint: "orders", target: null, request, onMismatch })],
      });
      const { status, json } = await post(`${url}/triggers/orders`, { order: "7" });
      expect([status, json]).toEqual([200, { ok: true, skipped: true }]);
      expect(store.runs).toEqual([]);
      expect(store.deliveries[0]).toMatchObject({
        outcome: "skipped",
        verdicts: [
          { trigger: "order-shipped", attachmentId: "order-shipped", target: null, outcome: "matched", runId: null },
        ],
      });
    },
  );

  test("no match on a shared endpoint is exactly { ok, skipped }", async () => {
    const { url, store } = await serve({ triggers });
    const response = await fetch(`${url}/triggers/billing`, { method: "POST", headers: json, body: `{"amount":"1"}` });
    expect([response.status, await response.text()]).toEqual([200, `{"ok":true,"skipped":true}`]);
    expect(response.headers.get("location")).toBeNull();
    expect(store.runs).toEqual([]);
    expect(store.deliveries).toMatchObject([
      { outcome: "skipped", responseStatus: 200, id: response.headers.get("signalbox-delivery") },
    ]);
  });

  test("a body that fails only the filter, on an endpoint of its own, is skipped, too", async () => {
    const { url, store } = await serve({ triggers });
    expect(await post(`${url}/triggers/orders`, { amount: 99 })).toMatchObject({
      status: 200,
      json: { ok: true, skipped: true },
    });
    expect(store.deliveries).toMatchObject([
      {
        outcome: "skipped",
        verdicts: [{ outcome: "filter_mismatch", reasons: [{ pointer: "/amount", expected: "≥ 100", actual: "99" }] }],
      },
    ]);
  });

  test("a body that fails the only trigger's request is 422 with the path", async () => {
    const { url, store } = await serve({ triggers });
    const { status, headers, json } = await post(`${url}/triggers/signup`, { name: "", email: "ada" });
    expect(status).toBe(422);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(json).toMatchObject({ type: "/errors/request_mismatch", status: 422, code: "request_mismatch" });
    expect(json["errors"]).toEqual([
      { pointer: "/name", code: "too_small", message: expect.any(String) },
      { pointer: "/email", code: "invalid_format", message: "Invalid email address" },
    ]);
    expect(store.deliveries).toMatchObject([
      {
        outcome: "rejected",
        responseStatus: 422,
        verdicts: [{ outcome: "request_mismatch", runId: null }],
        problem: json,
      },
    ]);
    expect(store.deliveries[0]?.body).not.toBeNull();
    expect(store.runs).toEqual([]);
  });

  const rows: [
    string,
    { path?: string; method?: string; headers?: Record<string, string>; body?: string | Uint8Array },
    { status: number; code: string; headers?: Record<string, string>; detail?: RegExp },
  ][] = [
    [
      "an unknown endpoint",
      { path: "/triggers/nowhere" },
      { status: 404, code: "unknown_endpoint", detail: /listens on this endpoint\.$/ },
    ],
    [
      "an endpoint that is nearly right",
      { path: "/triggers/singup" },
      { status: 404, code: "unknown_endpoint", detail: /Did you mean "signup"\?/ },
    ],
    [
      "a trailing slash",
      { path: "/triggers/signup/" },
      { status: 404, code: "unknown_endpoint", detail: /Did you mean "signup"\?/ },
    ],
    ["another case", { path: "/triggers/Signup" }, { status: 404, code: "unknown_endpoint" }],
    ["two slashes", { path: "/triggers//signup" }, { status: 404, code: "unknown_endpoint" }],
    ["no endpoint", { path: "/triggers" }, { status: 404, code: "unknown_endpoint" }],
    ["no endpoint, with slash", { path: "/triggers/" }, { status: 404, code: "unknown_endpoint" }],
    ["an escaped slash", { path: "/triggers/github%2Fci" }, { status: 404, code: "unknown_endpoint" }],
    ["an escaped NUL", { path: "/triggers/signup%00" }, { status: 404, code: "unknown_endpoint" }],
    ["a bad escape", { path: "/triggers/%zz" }, { status: 400, code: "invalid_path" }],
    ["an escape that is not UTF-8", { path: "/triggers/%ff" }, { status: 400, code: "invalid_path" }],
    ["the name of a property of Object", { path: "/triggers/constructor" }, { status: 404, code: "unknown_endpoint" }],
    ["GET", { method: "GET" }, { status: 405, code: "method_not_allowed", headers: { allow: "POST" } }],
    ["PUT with a body", { method: "PUT" }, { status: 405, code: "method_not_allowed", headers: { allow: "POST" } }],
    [
      "OPTIONS of a browser",
      { method: "OPTIONS", headers: { origin: "https://x.example", "access-control-request-method": "POST" } },
      { status: 405, code: "method_not_allowed", headers: { allow: "POST" } },
    ],
    [
      "GET of an unknown endpoint",
      { path: "/triggers/nowhere", method: "GET" },
      { status: 404, code: "unknown_endpoint" },
    ],
    [
      "no Content-Type",
      { headers: { "content-type": "" } },
      { status: 415, code: "unsupported_media_type", headers: { accept: "application/json" } },
    ],
    [
      "a form",
      { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" },
      { status: 415, code: "unsupported_media_type" },
    ],
    ["text", { headers: { "content-type": "text/plain" } }, { status: 415, code: "unsupported_media_type" }],
    [
      "JSON lines",
      { headers: { "content-type": "application/jsonl" } },
      { status: 415, code: "unsupported_media_type" },
    ],
    [
      "an unknown charset",
      { headers: { "content-type": "application/json; charset=klingon" } },
      { status: 415, code: "unsupported_media_type", detail: /charset/ },
    ],
    [
      "an unknown compression",
      { headers: { ...json, "content-encoding": "compress" } },
      { status: 415, code: "unsupported_media_type", headers: { "accept-encoding": "gzip, deflate, br" } },
    ],
    [
      "a body that is not compressed as it says",
      { headers: { ...json, "content-encoding": "gzip" } },
      { status: 400, code: "invalid_body", detail: /gzip/ },
    ],
    [
      "two codings",
      { headers: { ...json, "content-encoding": "gzip, compress" } },
      { status: 415, code: "unsupported_media_type" },
    ],
    ["bad JSON", { body: '{"name":\n  oops}' }, { status: 400, code: "invalid_json", detail: /^Line 2, column 3:/ }],
    ["an empty body", { body: "" }, { status: 400, code: "invalid_json", detail: /empty/ }],
    [
      "a body that is not UTF-8",
      { body: Uint8Array.from([0x22, 0xff, 0x22]) },
      { status: 400, code: "invalid_json", detail: /^Line 1, column 2: invalid UTF-8/ },
    ],
    ["a body nested too deep", { body: "[".repeat(600) }, { status: 400, code: "invalid_json", detail: /512/ }],
    [
      "a body over the limit",
      { body: `"${"x".repeat(2000)}"` },
      { status: 413, code: "body_too_large", detail: /1500 bytes/ },
    ],
  ];

  test.each(rows)("%s is rejected with a problem, and recorded", async (_, request, expected) => {
    const { port, store } = await serve({ triggers, maxBodyBytes: 1500 });
    const {
      path = "/triggers/signup",
      method = "POST",
      headers = json,
      body = method === "POST" || method === "PUT" ? "{}" : "",
    } = request;
    const lines = Object.entries({
      host: "x",
      connection: "close",
      "content-length": String(body.length),
      ...headers,
    }).filter(([, value]) => value !== "");
    const raw = `${method} ${path}?token=canary-of-a-key HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
    const answer = await sendRaw(port, Buffer.concat([Buffer.from(raw), Buffer.from(body)]));
    expect(answer.status).toBe(expected.status);
    const problem = JSON.parse(answer.body) as Problem;
    expect(problem).toMatchObject({ type: `/errors/${expected.code}`, status: expected.status, code: expected.code });
    expect(problem.detail).toMatch(expected.detail ?? /./);
    for (const [name, value] of Object.entries({ "content-type": "application/problem+json", ...expected.headers }))
      expect(headOf(answer.head, name)).toBe(value);
    expect(answer.head.toLowerCase()).not.toContain("access-control");
    expect(answer.head).not.toMatch(/^location:/im);
    expect(store.deliveries).toMatchObject([
      {
        outcome: "rejected",
        method,
        responseStatus: expected.status,
        problem,
        id: headOf(answer.head, "signalbox-delivery"),
      },
    ]);
    expect(store.runs).toEqual([]);
    expect(JSON.stringify([answer, store.deliveries])).not.toContain("canary");
  });

  test.each([
    ["application/json; charset=UTF-8"],
    ["application/json; charset=utf8"],
    ['application/json;charset="utf-8"'],
    ["APPLICATION/JSON"],
    ['application/cloudevents+json; charset=utf-8; x="a;charset=latin1"'],
    ["application/vnd.github.v3+json"],
  ])("takes %s", async (type) => {
    const { url } = await serve({ triggers });
    expect(
      (await post(`${url}/triggers/signup`, ada, { "content-type": type, "content-encoding": "identity" })).status,
    ).toBe(202);
  });

  test("accepts unnecessary escapes, decodes them once, and records the endpoint itself", async () => {
    const { url, store } = await serve({ triggers });
    expect((await post(`${url}/triggers/git%68ub/ci?x=1`, {})).status).toBe(202);
    expect((await post(`${url}/triggers/git%2568ub/ci`, {})).status).toBe(404);
    expect(store.deliveries.map(({ endpoint }) => endpoint)).toEqual(["github/ci", "git%2568ub/ci"]);
  });

  test("of duplicate keys the last wins, and a byte order mark is ignored", async () => {
    const { url, store } = await serve({ triggers });
    expect((await post(`${url}/triggers/orders`, `\uFEFF{"amount":1,"amount":100}`)).status).toBe(202);
    expect(store.runs[0]?.payload).toEqual({ amount: 100 });
  });

  test("HEAD is 405 without a body", async () => {
    const { url } = await serve({ triggers });
    const response = await fetch(`${url}/triggers/signup`, { method: "HEAD" });
    expect([response.status, response.headers.get("allow"), await response.text()]).toEqual([405, "POST", ""]);
  });

  test("if the store is unavailable: 503 with Retry-After, and nothing is stored in part", async () => {
    const { url, store } = await serve({ triggers });
    store.failure = unavailable;
    const answers = await Promise.all([
      post(`${url}/triggers/signup`, ada),
      post(`${url}/triggers/billing`, {}),
      post(`${url}/triggers/orders`, { amount: 1 }),
    ]);
    for (const { status, headers, json } of answers) {
      expect([status, json["code"]]).toEqual([503, "store_unavailable"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(headers.get("signalbox-delivery")).toMatch(/^dlv_/);
    }
    store.failure = null;
    expect(store.deliveries).toEqual([]);
    expect((await post(`${url}/triggers/signup`, ada)).status).toBe(202);
  });

  test("while shutting down: 503 with Retry-After, unless the key is wrong", async () => {
    const { url, store } = await serve({ triggers, authenticate: needsKey, isShuttingDown: () => true });
    const answer = await post(`${url}/triggers/signup?token=${key}`, ada);
    expect([answer.status, answer.json["code"], answer.headers.has("retry-after")]).toEqual([
      503,
      "shutting_down",
      true,
    ]);
    expect((await post(`${url}/triggers/signup`, ada)).status).toBe(401);
    expect(store.deliveries).toMatchObject([{ responseStatus: 401 }]);
  });
});

describe("keys", () => {
  test.each<[string, string, Record<string, string>]>([
    ["?token=", `/triggers/signup?token=${key}`, {}],
    ["?api_key=", `/triggers/signup?a=1&api_key=${key}`, {}],
    ["a name and a value with escapes", `/triggers/signup?%74oken=%73${key.slice(1)}`, {}],
    ["Authorization: Bearer", "/triggers/signup", { authorization: `Bearer ${key}` }],
    ["a scheme in another case", "/triggers/signup", { authorization: `bEARER   ${key}` }],
    ["x-api-key", "/triggers/signup", { "x-api-key": key }],
    ["the password of the user hook", "/triggers/signup", { authorization: `Basic ${btoa(`hook:${key}`)}` }],
    ["the password of another user", "/triggers/signup", { authorization: `Basic ${btoa(`proxy:${key}`)}` }],
    [
      "all of them",
      `/triggers/signup?token=${key}&api_key=${key}&token=${key}`,
      { authorization: `Bearer ${key}`, "X-API-Key": key },
    ],
  ])("are accepted as %s", async (_, path, headers) => {
    const { url } = await serve({ triggers, authenticate: needsKey });
    expect((await post(url + path, ada, { ...json, ...headers })).status).toBe(202);
  });

  test.each<[string, string, Record<string, string>]>([
    ["none", "/triggers/signup", {}],
    ["another", "/triggers/signup?token=canary-wrong", {}],
    ["one of two being wrong", `/triggers/signup?token=${key}`, { "x-api-key": "canary-wrong" }],
    ["one of three being empty", `/triggers/signup?token=${key}&token=&api_key=${key}`, {}],
    ["Basic", "/triggers/signup", { authorization: `Basic ${key}` }],
    ["a password of a proxy", "/triggers/signup", { authorization: `Basic ${btoa("proxy:canary-wrong")}` }],
    ["another name", `/triggers/signup?Token=${key}`, { "x-token": key }],
    ["a space for a plus", `/triggers/signup?token=${key}+`, {}],
    ["an unknown endpoint", "/triggers/nowhere", {}],
    ["an unreadable path", "/triggers/%zz", {}],
    ["a form", "/triggers/signup", { "content-type": "text/plain" }],
  ])("%s: 401 before anything else, the same for all, and the body is not read", async (_, path, headers) => {
    const { port, store, logged } = await serve({ triggers, authenticate: needsKey });
    const lines = Object.entries({ host: "x", "content-length": "1000000", ...json, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const answer = await sendRaw(port, `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    expect(answer.status).toBe(401);
    expect(headOf(answer.head, "www-authenticate")).toBe('Bearer, Basic realm="webhooks"');
    expect(headOf(answer.head, "signalbox-delivery")).toBeNull();
    expect(headOf(answer.head, "connection")).toBe("close");
    expect(JSON.parse(answer.body)).toStrictEqual({
      type: "/errors/unauthorized",
      title: "Missing or invalid key",
      status: 401,
      code: "unauthorized",
      detail: expect.stringContaining("Send a valid key"),
    });
    expect(store.deliveries).toMatchObject([
      { outcome: "rejected", responseStatus: 401, body: null, bodyBytes: 1_000_000, keyId: null, verdicts: [] },
    ]);
    const kept = JSON.stringify([answer, store.deliveries, logged]);
    expect(kept).not.toContain("canary");
    expect(kept).not.toContain(key);
  });

  test("are never repeated or stored, wherever they were sent", async () => {
    const { url, port, store, logged } = await serve({ triggers, authenticate: needsKey });
    const secrets = [key, "canary-cookie", "canary-basic", "canary wrong/key", "canary+wrong%2Fkey"];
    const answers: unknown[] = [];
    const add = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const answer = await post(url + path, body, { ...json, ...headers });
      answers.push(answer.json, [...answer.headers]);
      return answer.status;
    };
    expect(
      await add(`/triggers/signup?token=${key}`, ada, {
        cookie: "a=canary-cookie",
        referer: `https://x.example/?token=${key}`,
        "x-any": `is ${key} here`,
        "proxy-authorization": "Basic canary-basic",
      }),
    ).toBe(202);
    expect(
      await add(`/triggers/signup?token=canary+wrong%2Fkey`, ada, {
        referer: "/triggers/signup?token=canary+wrong%2Fkey",
        "x-decoded": "canary wrong/key",
      }),
    ).toBe(401);
    expect(await add(`/triggers/signup&token=${key}`, ada)).toBe(401);
    expect(await add(`/triggers/${key}?token=${key}`, ada)).toBe(404);
    expect(await add(`/triggers/signup?token=${key}`, `{"name": ${key}}`)).toBe(400);
    expect(await add(`/triggers/signup?token=${key}`, { name: 1, email: 2 })).toBe(422);
    await sendRaw(
      port,
      `GET /triggers/signup?token=${key} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nSet-Cookie: canary-cookie\r\n\r\n`,
    );
    expect(store.deliveries).toHaveLength(7);
    const kept = JSON.stringify([
      answers,
      store.deliveries.map((delivery) => ({ ...delivery, body: null })),
      store.runs,
      logged,
    ]);
    for (const secret of secrets) expect(kept).not.toContain(secret);
    expect(store.runs[0]?.keyId).toBe("key_1");
    expect(store.deliveries[0]?.headers).toMatchObject({
      cookie: "[redacted]",
      referer: "https://x.example/?token=[redacted]",
      "x-any": "is [redacted] here",
    });
  });

  test("a flood without one is answered in full, but recorded only in part", async () => {
    const onEvent = vi.fn<(event: ReceiverEvent) => void>();
    const { url, store, logged } = await serve({
      triggers,
      authenticate: needsKey,
      onEvent,
      clock: { now: () => 1_700_000_000_000 },
    });
    const answers = await Promise.all(Array.from({ length: 120 }, () => post(`${url}/triggers/signup`, ada)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(store.deliveries).toHaveLength(50);
    expect(onEvent.mock.calls.filter(([{ type }]) => type === "unauthenticated")).toHaveLength(120);
    expect(onEvent.mock.calls.filter(([{ type }]) => type === "unrecorded")).toHaveLength(70);
    expect(logged).toEqual([]);
  });

  test("leaves little in the store, however much it sends and for how long", async () => {
    let now = 1_700_000_000_000;
    const { url, store } = await serve({ triggers, authenticate: needsKey, clock: { now: () => now } });
    const headers = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`x-${at}`, "x".repeat(1_000)]));
    for (let sent = 0; sent < 3_000; sent += 1) {
      now += 100;
      await post(`${url}/triggers/signup`, ada, headers);
    }
    const bytes = store.deliveries.reduce((sum, delivery) => sum + JSON.stringify(delivery.headers).length, 0);
    expect(bytes).toBeLessThan(4.5 * 1024 * 1024);
    expect(store.deliveries.length).toBeLessThan(3_000);
    for (const delivery of store.deliveries) expect(JSON.stringify(delivery.headers).length).toBeLessThan(2_500);
  });

  test("if keys cannot be looked up: 503, and if the lookup throws: 500 without details", async () => {
    const down = await serve({ triggers, authenticate: () => Promise.reject(unavailable) });
    expect(await post(`${down.url}/triggers/signup`, ada)).toMatchObject({
      status: 503,
      json: { code: "store_unavailable" },
    });
    const broken = await serve({ triggers, authenticate: () => Promise.reject(new Error("disk on fire")) });
    const { status, json } = await post(`${broken.url}/triggers/signup`, ada);
    expect([status, json["code"]]).toEqual([500, "internal"]);
    expect(JSON.stringify(json)).not.toContain("fire");
    expect(broken.logged.join()).toContain("disk on fire");
  });
});

describe("the body on the wire", () => {
  test("may be received in chunks that split a character", async () => {
    const { port, store } = await serve({ triggers });
    const body = Buffer.from(`{"name":"Ädä","email":"ada@example.com"}`);
    const chunks = Array.from({ length: body.length }, (_, at) =>
      Buffer.concat([Buffer.from("1\r\n"), body.subarray(at, at + 1), Buffer.from("\r\n")]),
    );
    const answer = await sendRaw(
      port,
      Buffer.concat([
        Buffer.from(head(["Transfer-Encoding: chunked", "Connection: close"])),
        ...chunks,
        Buffer.from("0\r\n\r\n"),
      ]),
    );
    expect(answer.status).toBe(202);
    expect(store.deliveries[0]?.body).toEqual(body);
    expect(store.runs[0]?.payload).toMatchObject({ name: "Ädä" });
  });

  test("with a declared length over the limit is rejected before its first byte, with and without Expect: 100-continue", async () => {
    const { port, store } = await serve({ triggers });
    for (const lines of [
      ["Content-Length: 1048577"],
      ["Content-Length: 1048577", "Expect: 100-continue"],
      ["Content-Length: 99999999999999999"],
    ]) {
      const answer = await sendRaw(port, head(lines));
      expect(answer.status).toBe(413);
      expect(headOf(answer.head, "connection")).toBe("close");
    }
    expect(store.deliveries.map(({ bodyBytes }) => bodyBytes)).toEqual([1_048_577, 1_048_577, Number.MAX_SAFE_INTEGER]);
  });

  test("that exceeds the limit is rejected immediately, and the rest is not read", async () => {
    const { port, store } = await serve({ triggers, maxBodyBytes: 1000 });
    const socket = connect({ port, host: "127.0.0.1" });
    onTestFinished(() => void socket.destroy());
    const piece = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65536, 0x20), Buffer.from("\r\n")]);
    socket.write(head(["Transfer-Encoding: chunked"]));
    // A sender that never stops: it writes whenever the system accepts more.
    const send = () => {
      while (socket.writable && socket.write(piece));
    };
    socket.on("drain", send);
    socket.on("error", () => {});
    send();
    let text = "";
    await new Promise<void>((resolve) =>
      socket.on("data", (chunk: Buffer) => ((text += chunk.toString()), text.includes("body_too_large") && resolve())),
    );
    expect(parseAnswer(text).status).toBe(413);
    await new Promise((resolve) => socket.once("close", resolve));
    expect(store.deliveries).toMatchObject([{ responseStatus: 413, body: null, bodySha256: null }]);
    expect(store.deliveries[0]?.bodyBytes).toBeLessThan(200_000);
    // At most the buffers of the systems on both sides, not the endless stream of the sender.
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(32 * 1024 * 1024);
  });

  test("that is sent too slowly is answered 408, recorded, and its connection closed", async () => {
    const { port, store } = await serve({ triggers, bodyTimeoutMs: 100 });
    const answer = await sendRaw(
      port,
      'POST /triggers/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{ "name"',
    );
    expect(answer.status).toBe(408);
    expect(answer.head.toLowerCase()).toContain("connection: close");
    expect(JSON.parse(answer.body)).toMatchObject({ code: "request_timeout", status: 408 });
    expect(store.deliveries).toMatchObject([
      { outcome: "rejected", responseStatus: 408, problem: { code: "request_timeout" }, body: null, bodyBytes: 8 },
    ]);
  });

  test("that never ends because the sender disconnects is recorded as incomplete", async () => {
    const onEvent = vi.fn<(event: ReceiverEvent) => void>();
    const { port, store } = await serve({ triggers, onEvent });
    const socket = connect({ port, host: "127.0.0.1" });
    socket.write(`${head(["Content-Length: 100"])}{"name":`, () => socket.destroy());
    await vi.waitFor(() => expect(onEvent).toHaveBeenCalledWith(expect.objectContaining({ type: "delivery" })));
    expect(store.deliveries).toMatchObject([
      { outcome: "rejected", responseStatus: 400, problem: { code: "incomplete_body" }, body: null, bodyBytes: 8 },
    ]);
  });

  test("is requested if the sender waits for 100 Continue, and only if it is needed", async () => {
    const { port } = await serve({ triggers, authenticate: needsKey });
    const body = JSON.stringify(ada);
    const lines = ["Expect: 100-continue", "Connection: close", `Content-Length: ${body.length}`];
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text === "HTTP/1.1 100 Continue\r\n\r\n") socket.write(body);
    });
    socket.write(head([...lines, `X-Api-Key: ${key}`]));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(text).toContain("HTTP/1.1 202 Accepted");
    const rejected = await sendRaw(port, head(lines));
    expect(rejected.status).toBe(401);
  });

  test("leaves the connection open for the next request once it was read, also after a rejection", async () => {
    const { port } = await serve({ triggers });
    const bodies = ["{}", "nonsense", JSON.stringify(ada)];
    const requests = bodies.map(
      (body, index) => head([`Content-Length: ${body.length}`, ...(index === 2 ? ["Connection: close"] : [])]) + body,
    );
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.write(requests.join(""));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)).toEqual(["422", "400", "202"]);
  });

  test("of two megabytes is answered with 413 that an ordinary client can read", async () => {
    const { url } = await serve({ triggers });
    for (let round = 0; round < 5; round++)
      expect((await post(`${url}/triggers/signup`, "x".repeat(8 * 1024 * 1024))).status).toBe(413);
  });
});

function head(lines: string[]): string {
  return `POST /triggers/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
}

function headOf(head: string, name: string): string | null {
  return new RegExp(`^${name}: (.*)$`, "im").exec(head.replaceAll("\r", ""))?.[1] ?? null;
}
