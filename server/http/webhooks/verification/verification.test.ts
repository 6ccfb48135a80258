import { createHmac } from "node:crypto";
import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  custom,
  type CustomOptions,
  discord,
  github,
  gitlab,
  hmac,
  linkedin,
  mailgun,
  meta,
  microsoftGraph,
  sns,
  twilio,
  twitter,
  zoom,
} from "../../../../sdk/verify/index.ts";
import { discordKeys, senders, textSecret } from "../../../../sdk/verify/testing/senders.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { trustProxies } from "../../connections.ts";
import { serve } from "../../testing/serve.ts";

const request = z.looseObject({});

async function send(port: number, target: string, headers: Record<string, string>, body = "{}", method = "POST") {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string; headers: unknown }>();
  const sent = httpRequest(
    { host: "127.0.0.1", port, path: target, method, headers: { "content-type": "application/json", ...headers } },
    (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    },
  );
  sent.on("error", reject);
  sent.end(Buffer.from(body));
  const answer = await promise;
  const json = (answer.text.startsWith("{") ? JSON.parse(answer.text) : {}) as Record<string, unknown>;
  return { ...answer, json };
}

const signedFor = (url: string) => ({
  "x-signature": createHmac("sha256", textSecret).update(`POST ${url} {}`).digest("hex"),
});

describe("a signature that covers the URL is checked for", () => {
  const verify = hmac({ secret: textSecret, header: "x-signature", signedContent: "{method} {url} {body}" });
  const triggers = [triggerOf({ slug: "shop", request, verify })];
  const target = "/triggers/shop?a=%2F&b=c+d";

  test("the setting baseUrl, for any host in the request", async () => {
    const { port } = await serve({ triggers, baseUrl: "https://hooks.example.com/in" });
    const url = `https://hooks.example.com/in${target}`;
    expect((await send(port, target, { ...signedFor(url), host: "10.0.0.1" })).status).toBe(202);
    const forged = { ...signedFor(`http://evil.example${target}`), host: "evil.example" };
    expect((await send(port, target, forged)).status).toBe(401);
  });

  test("the host of the request, if there is no baseUrl", async () => {
    const { port } = await serve({ triggers });
    const host = "hooks.example.com:8080";
    expect((await send(port, target, { ...signedFor(`http://${host}${target}`), host })).status).toBe(202);
    const forwarded = { host, "x-forwarded-proto": "https", "x-forwarded-host": "other.example" };
    expect((await send(port, target, { ...signedFor(`http://${host}${target}`), ...forwarded })).status).toBe(202);
  });

  test("the X-Forwarded headers of a trusted proxy", async () => {
    const { port } = await serve({ triggers, proxies: trustProxies(["127.0.0.1"]) });
    const forwarded = {
      host: "10.0.0.1",
      "x-forwarded-proto": "http, https",
      "x-forwarded-host": "evil.example, hooks.example.com",
    };
    const url = `https://hooks.example.com${target}`;
    expect((await send(port, target, { ...signedFor(url), ...forwarded })).status).toBe(202);
    expect((await send(port, target, { ...signedFor(url), host: "hooks.example.com" })).status).toBe(401);
  });

  test("and the URL is in the headers of a rejected delivery, without its key", async () => {
    const { port, store } = await serve({ triggers, baseUrl: "https://hooks.example.com" });
    const key = "sbk_0123456789abcdefghijklmnopqrstuvw012345";
    const answer = await send(port, `/triggers/shop?token=${key}&a=1`, signedFor("https://elsewhere.example"));
    expect(answer.json["detail"]).toContain(
      "It covers the URL, which is https://hooks.example.com/triggers/shop?… with the query of the request for this server.",
    );
    expect(store.deliveries[0]?.headers["signalbox-request-url"]).toBe(
      "https://hooks.example.com/triggers/shop?token=[redacted]&a=1",
    );
    expect(JSON.stringify(store.deliveries)).not.toContain(key);
  });
});

test("the URL of a request is recorded only if the signature covers it", async () => {
  const triggers = [triggerOf({ slug: "push", request, verify: github({ secret: textSecret }) })];
  const { port, store } = await serve({ triggers });
  await send(port, "/triggers/push", {});
  expect(Object.keys(store.deliveries[0]?.headers ?? {})).not.toContain("signalbox-request-url");
});

async function serveCheck(options: Partial<CustomOptions> & Pick<CustomOptions, "check">, maxCheckMs = 2_000) {
  const verify = custom({ name: "acme", ...options });
  return serve({ triggers: [triggerOf({ slug: "acme", request, verify })], maxCheckMs });
}

describe("a check of the project", () => {
  test("receives the request as sent, and decides", async () => {
    const seen: unknown[] = [];
    const { port, store } = await serveCheck({
      secret: [textSecret, undefined],
      async check({ body, headers, method, url, receivedAt, secrets }) {
        seen.push(Buffer.from(body).toString("latin1"), headers.get("X-Custom"), method, url, secrets);
        seen.push(receivedAt instanceof Date, headers.get("host"));
        return headers.get("x-custom") === "ÿ";
      },
    });
    const raw = Buffer.from('{"a":"ÿ"}').toString("latin1");
    const target = "/triggers/acme?x=1";
    expect((await send(port, target, { "X-CUSTOM": "ÿ", host: "a.example" }, '{"a":"ÿ"}')).status).toBe(202);
    expect(seen).toEqual([raw, "ÿ", "POST", `http://a.example${target}`, [textSecret], true, "a.example"]);
    const rejected = await send(port, target, { "x-custom": "other" });
    expect([rejected.status, rejected.json["code"], rejected.json["detail"]]).toEqual([
      401,
      "invalid_signature",
      "The check rejected the request (custom: acme).",
    ]);
    expect(store.runs).toHaveLength(1);
  });

  test("can give a reason, which the answer and the record have", async () => {
    const { port, store } = await serveCheck({ check: () => ({ reason: "The tenant is unknown." }) });
    const answer = await send(port, "/triggers/acme", {});
    const detail = "The check rejected the request (custom: acme): The tenant is unknown.";
    expect([answer.status, answer.json["detail"]]).toEqual([401, detail]);
    expect(store.deliveries[0]?.problem?.detail).toBe(detail);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("no tenants table")), "threw an error (custom: acme)."],
    [
      "throws at once",
      () => {
        throw new TypeError("no tenants table");
      },
      "threw an error (custom: acme).",
    ],
    ["does not end", () => new Promise<boolean>(() => {}), "did not finish within 1.5 s (custom: acme)."],
    [
      "loops forever",
      () => {
        for (;;);
      },
      "did not finish within 1.5 s (custom: acme).",
    ],
    [
      "is busy for longer, after it has waited",
      async () => {
        await Promise.resolve();
        const end = performance.now() + 1_600;
        while (performance.now() < end);
        return true;
      },
      "did not finish within 1.5 s (custom: acme).",
    ],
    [
      "returns another value",
      () => "yes" as unknown as boolean,
      "returned neither true nor false nor { reason } (custom: acme): it returned a value of type string.",
    ],
    ["returns a truthy value", () => 1 as unknown as boolean, "it returned a value of type number."],
    ["returns nothing", () => undefined as unknown as boolean, "it returned a value of type undefined."],
  ])("that %s gets its own answer, is recorded with its body, and starts nothing", async (_, check, detail) => {
    const isSlow = detail.includes("did not finish");
    const { port, store, logged } = await serveCheck({ check }, isSlow ? 1_500 : 30_000);
    const answer = await send(port, "/triggers/acme", {}, '{"id":1}');
    expect([answer.status, answer.json["code"], answer.json["detail"]]).toEqual([
      500,
      "verification_failed",
      expect.stringContaining(detail),
    ]);
    expect(JSON.stringify(answer.json)).not.toContain("no tenants table");
    expect(store.runs).toEqual([]);
    expect(store.deliveries).toMatchObject([
      { outcome: "rejected", responseStatus: 500, problem: { code: "verification_failed" }, verdicts: [] },
    ]);
    expect(Buffer.from(store.deliveries[0]?.body ?? []).toString()).toBe('{"id":1}');
    expect(logged.join()).toContain("check of a signature failed");
    // The receiver continues.
    expect((await send(port, "/triggers/unknown", {})).status).toBe(404);
  });

  test("is interrupted by its signal", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { port } = await serveCheck(
      {
        check: ({ signal }) =>
          new Promise(() => signal.addEventListener("abort", () => resolve("aborted"), { once: true })),
      },
      1_000,
    );
    expect((await send(port, "/triggers/acme", {})).status).toBe(500);
    expect(await promise).toBe("aborted");
  });

  test("is not called without its header, nor without its secret", async () => {
    let calls = 0;
    const check = () => {
      calls += 1;
      return true;
    };
    const unsigned = await serveCheck({ check, header: "X-Acme-Signature" });
    const answer = await send(unsigned.port, "/triggers/acme", {});
    expect([answer.status, answer.json["detail"]]).toEqual([
      401,
      "The header x-acme-signature is missing. This endpoint accepts only signed requests (custom: acme).",
    ]);
    const secretless = await serveCheck({ check, secret: undefined });
    expect((await send(secretless.port, "/triggers/acme", {})).json["detail"]).toContain("its secret is not set");
    expect(calls).toBe(0);
    expect((await send(unsigned.port, "/triggers/acme", { "x-acme-signature": "1" })).status).toBe(202);
  });

  test("identifies an event by the body and by the headers that it covers", async () => {
    const { port, store } = await serveCheck({ check: async () => true, signedHeaders: ["X-Event-Id"] });
    const sendEvent = (id: string, body: string, key: string) =>
      send(port, "/triggers/acme", { "x-event-id": id, "idempotency-key": key }, body);
    await sendEvent("1", "{}", "a");
    await sendEvent("1", "{}", "b");
    expect(store.runs).toHaveLength(1);
    await sendEvent("2", "{}", "a");
    await sendEvent("1", "{ }", "a");
    expect(store.runs).toHaveLength(3);
  });
});

describe("a GET request", () => {
  test.each([
    [
      "?hub.mode=subscribe&hub.challenge=1",
      'Set verify: meta({ … }), challenge: "webSub" or challenge: "strava" in the sources of the endpoint',
    ],
    ["?validationToken=x", "Set verify: microsoftGraph({ … })"],
    ["?challenge=abc", 'Set challenge: "dropbox"'],
    ["?crc_token=abc&nonce=1", "Set verify: twitter({ … }) in the sources of the endpoint"],
    ["?challengeCode=890e4665-4dfe", "Set verify: linkedin({ … }) in the sources of the endpoint"],
  ])("by which a sender verifies the URL (%s) gets its own answer", async (query, fix) => {
    const { port, store } = await serve({ triggers: [triggerOf({ slug: "open", request })] });
    const answer = await send(port, `/triggers/open${query}`, {}, "", "GET");
    expect([answer.status, answer.json["code"]]).toEqual([405, "unsupported_handshake"]);
    expect(answer.json["detail"]).toContain(fix);
    expect(answer.headers).toMatchObject({ allow: "POST" });
    expect(store.deliveries).toMatchObject([{ method: "GET", problem: { code: "unsupported_handshake" } }]);
  });

  test("of any other kind is answered as before", async () => {
    const { port } = await serve({ triggers: [triggerOf({ slug: "open", request })] });
    const answers = [
      await send(port, "/triggers/open", {}, "", "GET"),
      await send(port, "/triggers/open?token=x", {}, "", "GET"),
      await send(port, "/triggers/open?challenge=1", {}, "{}", "PUT"),
    ];
    for (const { json } of answers)
      expect(json).toMatchObject({ code: "method_not_allowed", detail: "Send webhooks as POST." });
  });
});

const hmacOf = (text: string, encoding: "base64" | "hex") =>
  createHmac("sha256", textSecret).update(text).digest(encoding);

describe("a handshake", () => {
  const at = 1_700_000_000_000;
  const clock = { now: () => at };
  const verifyToken = "a verify token of our own";
  const triggers = [
    triggerOf({ slug: "page", request, verify: meta({ secret: textSecret, verifyToken }) }),
    triggerOf({ slug: "mail", request, verify: microsoftGraph({ secret: textSecret }) }),
    triggerOf({ slug: "posts", request, verify: twitter({ secret: textSecret }) }),
    triggerOf({ slug: "leads", request, verify: linkedin({ secret: textSecret }) }),
    triggerOf({ slug: "meeting", request, verify: zoom({ secret: textSecret }) }),
    triggerOf({ slug: "app", request, verify: discord({ publicKey: discordKeys.secret }) }),
  ];
  const signBy = async (name: string, body: string, secret: string) => ({
    ...(await senders.find((one) => one.name === name)?.sign({ body: Buffer.from(body), at, secret })),
  });
  const skipped = { outcome: "skipped", problem: null, verdicts: [] };

  test("of Meta is answered if it has the verify token, recorded, and starts nothing", async () => {
    const { port, store } = await serve({ triggers, clock });
    const query = `hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${encodeURIComponent(verifyToken)}`;
    const answer = await send(port, `/triggers/page?${query}`, {}, "", "GET");
    expect([answer.status, answer.text]).toEqual([200, "1158201444"]);
    expect(answer.headers).toMatchObject({ "content-type": "text/plain", "x-content-type-options": "nosniff" });
    expect(store.deliveries).toMatchObject([
      { ...skipped, method: "GET", responseStatus: 200, headers: { "signalbox-handshake": "meta" } },
    ]);
    const rejected = await send(port, `/triggers/page?${query}2`, {}, "", "GET");
    expect([rejected.status, rejected.json["code"]]).toEqual([401, "invalid_signature"]);
    expect(JSON.stringify([store.deliveries, rejected.text])).not.toContain(verifyToken);
    expect((await send(port, "/triggers/page", {}, "", "GET")).json["code"]).toBe("method_not_allowed");
  });

  test("of Microsoft Graph is answered without a body, recorded, and starts nothing", async () => {
    const { port, store } = await serve({ triggers, clock });
    const path = "/triggers/mail?validationToken=Validation%3A+%3Cscript%3E";
    const answer = await send(port, path, { "content-type": "text/plain; charset=utf-8" }, "");
    expect([answer.status, answer.text]).toEqual([200, "Validation: <script>"]);
    expect(answer.headers).toMatchObject({ "content-type": "text/plain", "x-content-type-options": "nosniff" });
    expect(store.deliveries).toMatchObject([{ ...skipped, method: "POST", responseStatus: 200, body: null }]);
    const notification = JSON.stringify({ value: [{ clientState: textSecret }] });
    expect((await send(port, "/triggers/mail", {}, notification)).status).toBe(202);
    expect((await send(port, "/triggers/mail", {}, notification.replace("0", "1"))).status).toBe(401);
  });

  test("of X and LinkedIn is answered with its HMAC, recorded, and starts nothing", async () => {
    const { port, store } = await serve({ triggers, clock });
    const ofX = await send(port, "/triggers/posts?crc_token=MTY3-w_9&nonce=abc", {}, "", "GET");
    expect([ofX.status, ofX.json]).toEqual([200, { response_token: `sha256=${hmacOf("MTY3-w_9", "base64")}` }]);
    const challengeCode = "890e4665-4dfe-4ab1-b689-ed553bceeed0";
    const ofLinkedIn = await send(
      port,
      `/triggers/leads?challengeCode=${challengeCode}&applicationId=7`,
      {},
      "",
      "GET",
    );
    expect(ofLinkedIn.json).toEqual({ challengeCode, challengeResponse: hmacOf(challengeCode, "hex") });
    for (const { headers } of [ofX, ofLinkedIn])
      expect(headers).toMatchObject({ "content-type": "application/json", "x-content-type-options": "nosniff" });
    expect(store.deliveries).toMatchObject(
      ["twitter", "linkedin"].map((scheme) => ({ ...skipped, headers: { "signalbox-handshake": scheme } })),
    );
    expect(store.runs).toEqual([]);
  });

  test("of X signs no body: an event that is signed by it is rejected", async () => {
    const { port, store } = await serve({ triggers, clock });
    const forged = '{"for_user_id":"1"}';
    const answer = await send(port, `/triggers/posts?crc_token=${encodeURIComponent(forged)}`, {}, "", "GET");
    expect([answer.status, answer.json["code"]]).toEqual([401, "invalid_signature"]);
    expect(answer.json).not.toHaveProperty("response_token");
    expect(store.deliveries).toMatchObject([{ outcome: "rejected" }]);
  });

  test("of Zoom is answered if it is signed", async () => {
    const { port, store } = await serve({ triggers, clock });
    const body = '{"event":"endpoint.url_validation","payload":{"plainToken":"abc"}}';
    const answer = await send(port, "/triggers/meeting", await signBy("zoom", body, textSecret), body);
    const encryptedToken = createHmac("sha256", textSecret).update("abc").digest("hex");
    expect([answer.status, answer.json]).toEqual([200, { plainToken: "abc", encryptedToken }]);
    expect((await send(port, "/triggers/meeting", {}, body)).status).toBe(401);
    expect(store.runs).toEqual([]);
  });

  test("of Discord is answered without a body", async () => {
    const { port, store } = await serve({ triggers, clock });
    const ping = '{"version":1,"application_id":"1","type":0}';
    const answer = await send(port, "/triggers/app", await signBy("discord", ping, discordKeys.secret), ping);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.headers).not.toHaveProperty("content-length");
    expect(store.deliveries).toMatchObject([{ ...skipped, responseStatus: 204 }]);
    const event = '{"version":1,"type":1,"event":{"type":"APPLICATION_AUTHORIZED"}}';
    const signed = await signBy("discord", event, discordKeys.secret);
    expect((await send(port, "/triggers/app", signed, event)).status).toBe(202);
  });

  test("needs the key, too", async () => {
    const { port, store } = await serve({ triggers, authenticate: async () => ({ ok: false }) });
    const requests = [
      ["page?hub.mode=subscribe&hub.challenge=1", "GET"],
      ["posts?crc_token=a", "GET"],
      ["leads?challengeCode=a", "GET"],
      ["mail?validationToken=a", "POST"],
    ] as const;
    for (const [query, method] of requests) {
      const { status, text } = await send(port, `/triggers/${query}`, {}, "", method);
      expect([status, text]).toEqual([401, expect.not.stringMatching(/response_token|challengeResponse/)]);
    }
    expect(store.deliveries.every(({ responseStatus }) => responseStatus === 401)).toBe(true);
  });
});

describe("a message of SNS", () => {
  const message = JSON.stringify({ Type: "Notification", Signature: "x", TopicArn: "arn:aws:sns:eu-west-1:1:a" });
  const triggers = [
    triggerOf({ slug: "topic", request, verify: sns({ topicArn: "arn:aws:sns:eu-west-1:123456789012:orders" }) }),
    triggerOf({ slug: "open", request }),
  ];

  test("is read as JSON although it is sent as text/plain, only where sns verifies it", async () => {
    const { port } = await serve({ triggers });
    const plain = { "content-type": "text/plain; charset=UTF-8" };
    expect((await send(port, "/triggers/topic", plain, message)).json["detail"]).toContain(
      "a topic that is not in topicArn",
    );
    expect((await send(port, "/triggers/open", plain, message)).status).toBe(415);
    expect((await send(port, "/triggers/topic", { "content-type": "text/html" }, message)).status).toBe(415);
    expect(
      (await send(port, "/triggers/topic", { "content-type": "text/plain; charset=klingon" }, message)).status,
    ).toBe(415);
  });

  test("that is not signed confirms nothing, also in development", async () => {
    const verify = sns({ topicArn: "arn:aws:sns:eu-west-1:123456789012:orders", confirmSubscriptions: true });
    const { port, store } = await serve({
      triggers: [triggerOf({ slug: "topic", request, verify })],
      mode: "development",
    });
    const forged = { Type: "SubscriptionConfirmation", SubscribeURL: "https://sns.eu-west-1.amazonaws.com/" };
    const answer = await send(port, "/triggers/topic", {}, JSON.stringify(forged));
    expect([answer.status, store.runs.length]).toEqual([202, 1]);
  });
});

describe("a sender without signatures", () => {
  test("sends a token that is not stored, and identifies events by its header", async () => {
    const { port, store, logged } = await serve({
      triggers: [triggerOf({ slug: "lab", request, verify: gitlab({ secret: textSecret }) })],
    });
    const sendEvent = (token: string, key: string) =>
      send(port, "/triggers/lab", { "x-gitlab-token": token, "idempotency-key": key });
    expect((await sendEvent(textSecret, "1")).status).toBe(202);
    expect((await sendEvent(textSecret, "1")).headers).toMatchObject({ "idempotent-replayed": "true" });
    expect((await sendEvent(textSecret, "2")).headers).not.toHaveProperty("idempotent-replayed");
    expect((await sendEvent(`${textSecret}0`, "3")).status).toBe(401);
    expect(JSON.stringify([store.deliveries, logged])).not.toContain(textSecret);
    expect(store.deliveries[0]?.headers["x-gitlab-token"]).toBe("[redacted]");
  });
});

describe("a replay", () => {
  const at = 1_700_000_000_000;

  test("of a Mailgun event with another body starts nothing: only the token is signed", async () => {
    const dedupe = { header: null, field: "/event-data/id", windowMs: 86_400_000 };
    const verify = mailgun({ secret: textSecret });
    const { port, store } = await serve({
      triggers: [triggerOf({ slug: "mail", request, verify, dedupe })],
      clock: { now: () => at },
    });
    const sendEvent = (token: string, id: string) => {
      const timestamp = `${at / 1000}`;
      const signature = createHmac("sha256", textSecret)
        .update(timestamp + token)
        .digest("hex");
      const body = { signature: { timestamp, token, signature }, "event-data": { id } };
      return send(port, "/triggers/mail", { "idempotency-key": id }, JSON.stringify(body));
    };
    const first = await sendEvent("a", "1");
    expect((await sendEvent("a", "2")).text).toBe(first.text);
    await sendEvent("b", "1");
    expect(store.runs).toHaveLength(2);
  });

  test("of a Twilio request with other unsigned headers starts nothing", async () => {
    const hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    const target = `/triggers/sms?bodySHA256=${hash}`;
    const { port, store } = await serve({
      triggers: [triggerOf({ slug: "sms", request, verify: twilio({ secret: textSecret }) })],
      baseUrl: "https://hooks.example.com",
    });
    const signature = createHmac("sha1", textSecret).update(`https://hooks.example.com${target}`).digest("base64");
    for (const key of ["1", "2"])
      expect((await send(port, target, { "x-twilio-signature": signature, "idempotency-key": key })).status).toBe(202);
    expect((await send(port, `${target}&a=1`, { "x-twilio-signature": signature })).status).toBe(401);
    expect((await send(port, target, { "x-twilio-signature": signature }, "[]")).status).toBe(401);
    expect(store.runs).toHaveLength(1);
  });
});

describe("a signature over a form", () => {
  const body = [{ type: "form" as const, field: null, bigints: "number" as const }];
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const fields = z.object({ From: z.string(), Body: z.string() });

  test("of Twilio is checked over the received bytes, behind a key in Basic credentials", async () => {
    const { port, store } = await serve({
      triggers: [triggerOf({ slug: "sms", body, request: fields, verify: twilio({ secret: textSecret }) })],
      baseUrl: "https://hooks.example.com",
    });
    const sent = "Body=Gr%C3%B6%C3%9Fe+%F0%9F%98%80&From=%2B15306666666";
    const signature = createHmac("sha1", textSecret)
      .update("https://hooks.example.com/triggers/smsBodyGröße 😀From+15306666666")
      .digest("base64");
    const headers = { ...form, "x-twilio-signature": signature, authorization: `Basic ${btoa("hook:sbk_key")}` };
    expect((await send(port, "/triggers/sms", headers, sent)).status).toBe(202);
    expect(store.runs[0]?.payload).toEqual({ Body: "Größe 😀", From: "+15306666666" });
    expect(store.deliveries[0]?.headers["signalbox-request-url"]).toBe("https://hooks.example.com/triggers/sms");
    expect(Buffer.from(store.deliveries[0]?.body ?? []).toString()).toBe(sent);
    expect((await send(port, "/triggers/sms", headers, sent.replace("666", "667"))).status).toBe(401);
  });
});

test("a huge header is no signature, and is rejected before the check", async () => {
  const triggers = [triggerOf({ slug: "push", request, verify: github({ secret: textSecret }) })];
  const { port, store } = await serve({ triggers });
  const large = { "x-hub-signature-256": `sha256=${"0".repeat(12_000)}` };
  expect((await send(port, "/triggers/push", large)).json["detail"]).toContain("is malformed (github)");
  expect((await send(port, "/triggers/push", { "x-hub-signature-256": "0".repeat(20_000) })).status).toBe(431);
  expect(store.runs).toEqual([]);
});
