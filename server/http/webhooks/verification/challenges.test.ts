import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { challengesOf } from "../../../../cli/build/checks/check-challenges.ts";
import type { SourceChallenge } from "../../../../sdk/endpoint-settings.ts";
import { hmac, xero } from "../../../../sdk/verify/index.ts";
import { redacted } from "../../../domain/privacy/redaction.ts";
import type { Methods } from "../../../contract/project/endpoint.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { serve } from "../../testing/serve.ts";

const secret = "the secret of an endpoint";
const sha256 = (body: string) => createHmac("sha256", secret).update(body).digest("hex");

function on(challenge: SourceChallenge, more: Partial<Parameters<typeof triggerOf>[0]> = {}) {
  const request = z.record(z.string(), z.unknown());
  return { triggers: [triggerOf({ slug: "in", request, challenges: challengesOf(challenge), ...more })] };
}

async function send(
  url: string,
  { method = "POST", query = "", headers = {}, body }: Sent,
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(`${url}/triggers/in${query}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

interface Sent {
  method?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
}

const validation = JSON.stringify([
  {
    eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
    data: { validationCode: "3747BBE8", validationUrl: "https://rp-eastus.eventgrid.azure.net/x" },
  },
]);
const verification = { "twitch-eventsub-message-type": "webhook_callback_verification" };

/** What each sender sends, and the answer that its manual requires. */
const senders: [SourceChallenge, Sent, { text: string; type: string | null; headers?: Record<string, string> }][] = [
  [
    "asana",
    { headers: { "x-hook-secret": "b537207f" } },
    { text: "", type: null, headers: { "x-hook-secret": "b537207f" } },
  ],
  ["asana", { headers: { "x-hook-secret": "b537207f" }, body: "{}" }, { text: "", type: null }],
  ["adobe", { method: "GET", query: "?challenge=8ec8d794" }, { text: "8ec8d794", type: "text/plain" }],
  ["dropbox", { method: "GET", query: "?token=x&challenge=abc123" }, { text: "abc123", type: "text/plain" }],
  ["dropbox", { method: "GET", query: "?challenge=a%2Bb%3D" }, { text: "a+b=", type: "text/plain" }],
  [
    "eventGrid",
    { method: "OPTIONS", headers: { "webhook-request-origin": "eventgrid.azure.net", "webhook-request-rate": "120" } },
    {
      text: "",
      type: null,
      headers: { "webhook-allowed-origin": "eventgrid.azure.net", "webhook-allowed-rate": "*", allow: "POST, OPTIONS" },
    },
  ],
  ["eventGrid", { body: validation }, { text: '{"validationResponse":"3747BBE8"}', type: "application/json" }],
  ["mailchimp", { method: "GET" }, { text: "", type: null }],
  ["mailchimp", { method: "HEAD" }, { text: "", type: null }],
  ["miro", { body: '{"challenge":"cd4a1f"}' }, { text: '{"challenge":"cd4a1f"}', type: "application/json" }],
  ["monday", { body: '{"challenge":"3eZbrw1a"}' }, { text: '{"challenge":"3eZbrw1a"}', type: "application/json" }],
  ["nylas", { method: "GET", query: "?challenge=bc609b38" }, { text: "bc609b38", type: "text/plain" }],
  [
    "okta",
    { method: "GET", headers: { "x-okta-verification-challenge": "Me_rShK8", authorization: "a-shared-secret" } },
    { text: '{"verification":"Me_rShK8"}', type: "application/json" },
  ],
  [
    "strava",
    { method: "GET", query: "?hub.verify_token=STRAVA&hub.challenge=15f7d1a9&hub.mode=subscribe" },
    { text: '{"hub.challenge":"15f7d1a9"}', type: "application/json" },
  ],
  ["trello", { method: "HEAD" }, { text: "", type: null }],
  [
    "twitch",
    { headers: verification, body: '{"challenge":"pogchamp-kappa","subscription":{"id":"1"}}' },
    { text: "pogchamp-kappa", type: "text/plain" },
  ],
  ["webSub", { method: "GET", query: "?hub.mode=unsubscribe&hub.challenge=99" }, { text: "99", type: "text/plain" }],
  [["trello", "dropbox"], { method: "GET", query: "?challenge=1" }, { text: "1", type: "text/plain" }],
  [
    { if: { field: "kind", is: "check" }, echo: { field: "data.code" }, as: { field: "reply" } },
    { body: '{"kind":"check","data":{"code":"a b"}}' },
    { text: '{"reply":"a b"}', type: "application/json" },
  ],
];

describe("a test of the endpoint by its sender", () => {
  test.each(senders)(
    "%j, %j, is answered, recorded as skipped, and starts nothing",
    async (challenge, sent, answer) => {
      const { url, store } = await serve(on(challenge));
      const { status, text, headers } = await send(url, sent);
      expect([status, text, headers.get("content-type")]).toEqual([200, answer.text, answer.type]);
      for (const [name, value] of Object.entries(answer.headers ?? {})) expect(headers.get(name)).toBe(value);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect([...headers.keys()].filter((name) => /^access-control-|^set-cookie/.test(name))).toEqual([]);
      expect(store.deliveries).toMatchObject([
        { outcome: "skipped", responseStatus: 200, verdicts: [], problem: null },
      ]);
      expect(store.deliveries[0]?.headers["signalbox-handshake"]).toMatch(/./);
      expect(store.runs).toEqual([]);
    },
  );

  test.each(senders)("%j, %j, needs the key, and then reveals nothing", async (challenge, sent) => {
    const { url } = await serve({ ...on(challenge), authenticate: async () => ({ ok: false }) });
    const { status, text, headers } = await send(url, sent);
    const unknown = await serve({ triggers: [], authenticate: async () => ({ ok: false }) });
    const other = await send(unknown.url, sent);
    expect(status).toBe(401);
    expect([status, text, headers.get("allow")]).toEqual([other.status, other.text, other.headers.get("allow")]);
  });

  test.each<[SourceChallenge, Sent]>([
    ["monday", { body: '{"challenge":"a","event":{"type":"create_pulse"}}' }],
    ["monday", { body: '{"challenge":7}' }],
    ["asana", { body: '{"events":[]}' }],
    ["twitch", { body: '{"challenge":"a"}' }],
    ["eventGrid", { body: '{"0":{"eventType":"Microsoft.EventGrid.SubscriptionValidationEvent"}}' }],
    ["dropbox", { query: "?challenge=a", body: "{}" }],
    ["okta", { headers: { "x-okta-verification-challenge": "a" }, body: "{}" }],
  ])("is not an event that has something of it (%j, %j)", async (challenge, sent) => {
    const { url, store } = await serve(on(challenge));
    expect((await send(url, sent)).status).toBe(202);
    expect(store.runs).toHaveLength(1);
  });

  test("is verified first, unless it comes before the secret is known", async () => {
    const verify = hmac({ secret, header: "x-hook-signature" });
    const asana = await serve(on("asana", { verify }));
    expect((await send(asana.url, { headers: { "x-hook-secret": secret } })).headers.get("x-hook-secret")).toBe(secret);
    const monday = await serve(on("monday", { verify }));
    const body = '{"challenge":"abc"}';
    expect((await send(monday.url, { body })).status).toBe(401);
    expect((await send(monday.url, { body, headers: { "x-hook-signature": sha256(body) } })).text).toBe(body);
  });

  test("does not record the secret that it repeats", async () => {
    const { url, store } = await serve(on(["asana", { echo: { header: "x-code" }, as: { header: "x-code" } }]));
    await send(url, { headers: { "x-hook-secret": "b537207f20cbfa02" } });
    await send(url, { headers: { "x-code": "b537207f20cbfa02" } });
    expect(JSON.stringify(store.deliveries)).not.toContain("b537207f20cbfa02");
  });

  test("repeats no key, and nothing that a browser or a log would read otherwise", async () => {
    const { url } = await serve(on("dropbox"));
    for (const query of [
      "?token=sbk_0123456789abcdef&challenge=sbk_0123456789abcdef",
      "?challenge=",
      "?challenge=%0D%0Aset-cookie:a",
      "?challenge=%C3%A9",
      `?challenge=${"a".repeat(1025)}`,
    ]) {
      const { status, text } = await send(url, { method: "GET", query });
      expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([405, "unsupported_handshake"]);
    }
  });

  test("repeats any visible text unchanged, as plain text that no browser interprets", async () => {
    const { url } = await serve(on("dropbox"));
    const text = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 40 }).filter((one) => one.trim() === one);
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const answer = await send(url, { method: "GET", query: `?challenge=${encodeURIComponent(value)}` });
        expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([200, value, "text/plain"]);
      }),
      { numRuns: 50 },
    );
  });
});

test("a secret in a header is redacted on every endpoint", async () => {
  const { url, store } = await serve(on([]));
  const names = ["x-hook-secret", "x-webhook-secret", "x-telegram-bot-api-secret-token", "client-secret"];
  await send(url, { body: "{}", headers: Object.fromEntries(names.map((name) => [name, "b537207f"])) });
  expect(names.map((name) => store.deliveries[0]?.headers[name])).toEqual(names.map(() => redacted));
});

describe("another method", () => {
  test.each<[SourceChallenge, string[], string]>([
    [[], ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"], "POST"],
    ["trello", ["GET", "OPTIONS", "PATCH"], "POST, HEAD"],
    [["mailchimp", "eventGrid"], ["OPTIONS", "PUT"], "POST, GET, HEAD, OPTIONS"],
  ])("of an endpoint with %j is answered 405 with the methods of the endpoint", async (challenge, methods, allow) => {
    const { url } = await serve(on(challenge));
    for (const method of methods) {
      const { status, headers } = await send(url, { method });
      expect([method, status, headers.get("allow")]).toEqual([method, 405, allow]);
    }
  });

  test.each<[SourceChallenge, Methods | undefined, string, string, string]>([
    [[], undefined, "GET", "POST", "POST"],
    [["dropbox", "trello"], undefined, "GET", "POST", "POST, GET, HEAD"],
    [["mailchimp", "eventGrid"], undefined, "PUT", "POST", "POST, GET, HEAD, OPTIONS"],
    ["eventGrid", ["GET"], "POST", "GET", "GET, OPTIONS, POST"],
    [[], ["GET"], "POST", "GET", "GET"],
    ["trello", ["GET", "POST"], "PUT", "GET or POST", "GET, POST, HEAD"],
  ])(
    "of an endpoint with %j and the methods %j: %s gets the methods of webhooks, and Allow has all",
    async (challenge, methods, method, words, allow) => {
      const { url } = await serve(on(challenge, { ...(methods && { methods }) }));
      const { text, headers } = await send(url, { method });
      expect(JSON.parse(text)).toMatchObject({ code: "method_not_allowed", detail: `Send webhooks as ${words}.` });
      expect(headers.get("allow")).toBe(allow);
    },
  );
});

describe("xero", () => {
  const verify = xero({ secret });
  const reply = { accepted: { status: 200, body: "", headers: {} }, rejected: { body: "", headers: {} } };
  const signed = (body: string) => ({ "x-xero-signature": createHmac("sha256", secret).update(body).digest("base64") });
  const intent = '{"events":[],"lastEventSequence":0,"firstEventSequence":0,"entropy":"S0m3r4Nd0mt3xt"}';

  test("the validation is 200 with a valid signature and 401 with an invalid one, both without a body", async () => {
    const { url, store } = await serve(on([], { verify, reply }));
    const valid = await send(url, { body: intent, headers: signed(intent) });
    const invalid = await send(url, { body: intent, headers: signed(`${intent} `) });
    expect([valid, invalid].map(({ status, text }) => [status, text])).toEqual([
      [200, ""],
      [401, ""],
    ]);
    expect(valid.headers.has("set-cookie") || invalid.headers.has("set-cookie")).toBe(false);
    expect(store.deliveries.map(({ outcome }) => outcome).sort()).toEqual(["rejected", "skipped"]);
    const event = '{"events":[{"resourceId":"1"}]}';
    expect(await send(url, { body: event, headers: signed(event) })).toMatchObject({ status: 200, text: "" });
    expect(store.runs).toHaveLength(1);
  });
});
