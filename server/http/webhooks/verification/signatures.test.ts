import { describe, expect, test } from "vitest";
import { z } from "zod";
import { github, slack, stripe } from "../../../../sdk/verify/index.ts";
import { requestOf, senders, textSecret } from "../../../../sdk/verify/testing/senders.ts";
import type { Clock } from "../../../ports/clock.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { serve } from "../../testing/serve.ts";

const request = z.object({ id: z.string() });
const verify = github({ secret: textSecret });
const triggers = [
  ...["pushed", "released"].map((slug) => triggerOf({ slug, endpoint: "github", request, verify })),
  triggerOf({ slug: "paid", endpoint: "stripe", request, verify: stripe({ secret: textSecret }) }),
  triggerOf({
    slug: "message",
    endpoint: "slack",
    request: z.object({ type: z.literal("event_callback") }),
    verify: slack({ secret: textSecret }),
  }),
  triggerOf({ slug: "unset", request, verify: github({ secret: undefined }) }),
  triggerOf({ slug: "open", request }),
];
const at = 1_700_000_000_000;
const clock: Clock = { now: () => at };

async function signedBy(
  name: string,
  body: string,
  secret = textSecret,
  signedAt = at,
): Promise<Record<string, string>> {
  const sender = senders.find((one) => one.name === name);
  return { ...(await sender?.sign({ body: Buffer.from(body), at: signedAt, secret })) };
}

async function post(url: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: JSON.parse(text) as Record<string, unknown>,
  };
}

describe("an endpoint whose sources verify", () => {
  const body = '{"id":"evt_1"}';

  test("accepts signed requests of its sender, for each of its triggers", async () => {
    const { url, store } = await serve({ triggers, clock });
    expect((await post(`${url}/triggers/github`, body, await signedBy("github", body))).status).toBe(202);
    expect((await post(`${url}/triggers/stripe`, body, await signedBy("stripe", body))).status).toBe(202);
    expect(store.runs.map(({ trigger }) => trigger)).toEqual(["pushed", "released", "paid"]);
  });

  test.each([
    ["no signature", {}, "The header x-hub-signature-256 is missing"],
    [
      "none that can be read",
      { "x-hub-signature-256": "sha1=0000" },
      "The header x-hub-signature-256 is malformed (github): expected sha256= and 64 hexadecimal digits.",
    ],
    [
      "one of other bytes",
      { "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
      "The signature in x-hub-signature-256 does not match the request (github)",
    ],
  ])("answers %s with 401, starts nothing, and stores the request with the reason", async (_, headers, detail) => {
    const { url, store, logged } = await serve({ triggers, clock });
    const answer = await post(`${url}/triggers/github`, body, headers);
    expect([answer.status, answer.headers.get("www-authenticate"), answer.headers.get("content-type")]).toEqual([
      401,
      "Signature",
      "application/problem+json",
    ]);
    expect(answer.json).toMatchObject({
      type: "/errors/invalid_signature",
      code: "invalid_signature",
      status: 401,
      detail: expect.stringContaining(detail),
    });
    expect(store.runs).toEqual([]);
    const [delivery] = store.deliveries;
    expect(delivery).toMatchObject({
      id: answer.headers.get("signalbox-delivery"),
      outcome: "rejected",
      responseStatus: 401,
      endpoint: "github",
      headers,
      verdicts: [],
      problem: { code: "invalid_signature", detail: answer.json["detail"] },
    });
    expect(Buffer.from(delivery?.body ?? []).toString()).toBe(body);
    expect(`${answer.text}${JSON.stringify(delivery)}${logged.join()}`).not.toContain(textSecret);
  });

  test("reports how far a clock differs", async () => {
    const { url } = await serve({ triggers, clock });
    const late = await post(
      `${url}/triggers/stripe`,
      body,
      await signedBy("stripe", body, textSecret, at - 12 * 60_000),
    );
    expect([late.status, late.json["detail"]]).toEqual([
      401,
      "The signature is valid (stripe), but its time (t in stripe-signature) is 12 minutes old. The tolerance is 5 minutes.",
    ]);
    const early = await post(
      `${url}/triggers/stripe`,
      body,
      await signedBy("stripe", body, textSecret, at + 86_400_000),
    );
    expect([early.status, early.json["detail"]]).toEqual([
      401,
      expect.stringContaining("is 1 day ahead of the server's clock"),
    ]);
  });

  test("checks the signature before the JSON, over the bytes as received", async () => {
    const { url } = await serve({ triggers, clock });
    expect((await post(`${url}/triggers/github`, "{", {})).json["code"]).toBe("invalid_signature");
    expect((await post(`${url}/triggers/github`, "{", await signedBy("github", "{"))).json["code"]).toBe(
      "invalid_json",
    );
    const spaced = '\uFEFF{ "id" : "evt_1",\r\n "id": "evt_2" }\n';
    expect((await post(`${url}/triggers/github`, spaced, await signedBy("github", spaced))).status).toBe(202);
    const replaced = '{"id":"\uFFFD"}';
    const raw = Uint8Array.from(Buffer.from('{"id":"\xFF"}', "latin1"));
    expect((await post(`${url}/triggers/github`, raw, await signedBy("github", replaced))).json["code"]).toBe(
      "invalid_signature",
    );
  });

  test("needs the key, too", async () => {
    const { url } = await serve({ triggers, clock, authenticate: async () => ({ ok: false }) });
    const answer = await post(`${url}/triggers/github`, body, await signedBy("github", body));
    expect([answer.status, answer.json["code"], answer.headers.get("www-authenticate")]).toEqual([
      401,
      "unauthorized",
      'Bearer, Basic realm="webhooks"',
    ]);
  });

  test("a replayed request with another time is rejected, even a day ahead", async () => {
    const headers = await signedBy("stripe", body);
    const { url } = await serve({ triggers, clock: { now: () => at + 5 * 60_000 + 1000 } });
    expect((await post(`${url}/triggers/stripe`, body, headers)).json["code"]).toBe("invalid_signature");
  });
});

describe("in development", () => {
  test("a request without a signature is accepted, and one with an invalid signature is not", async () => {
    const { url } = await serve({ triggers, clock, mode: "development" });
    expect((await post(`${url}/triggers/github`, '{"id":"evt_1"}')).status).toBe(202);
    expect(
      (await post(`${url}/triggers/github`, '{"id":"evt_1"}', { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }))
        .json["code"],
    ).toBe("invalid_signature");
    expect((await post(`${url}/triggers/unset`, '{"id":"evt_1"}')).status).toBe(202);
    expect(
      (await post(`${url}/triggers/unset`, '{"id":"evt_1"}', await signedBy("github", '{"id":"evt_1"}'))).json[
        "detail"
      ],
    ).toContain("its secret is not set");
  });
});

describe("a challenge", () => {
  const challenge =
    '{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}';

  test("of Slack is answered with itself when it is signed, recorded, and starts nothing", async () => {
    const { url, store } = await serve({ triggers, clock });
    const answer = await post(`${url}/triggers/slack`, challenge, await signedBy("slack", challenge));
    expect([answer.status, answer.text]).toEqual([
      200,
      '{"challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"}',
    ]);
    expect(store.runs).toEqual([]);
    expect(store.deliveries).toMatchObject([
      {
        id: answer.headers.get("signalbox-delivery"),
        outcome: "skipped",
        responseStatus: 200,
        problem: null,
        verdicts: [],
      },
    ]);
  });

  test("that is not signed, or that is sent to an endpoint of another sender, is not a challenge", async () => {
    const { url } = await serve({ triggers, clock });
    expect((await post(`${url}/triggers/slack`, challenge)).status).toBe(401);
    expect((await post(`${url}/triggers/open`, challenge)).json["code"]).toBe("request_mismatch");
    const event = '{"type":"event_callback","challenge":"x"}';
    expect((await post(`${url}/triggers/slack`, event, await signedBy("slack", event))).status).toBe(202);
  });
});

describe("a flood of bad signatures", () => {
  test("is answered in full, and stored only in part, so that it cannot fill the disk; another endpoint has its own share", async () => {
    const time = { now: at };
    const { url, store, logged } = await serve({ triggers, clock: { now: () => time.now } });
    const send = async (endpoint: string) => (await post(`${url}/triggers/${endpoint}`, '{"id":"evt_1"}')).status;
    const statuses = await Promise.all(Array.from({ length: 520 }, () => send("github")));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(store.deliveries).toHaveLength(500);
    await send("stripe");
    expect(store.deliveries).toHaveLength(501);
    time.now += 1000;
    for (let sent = 0; sent < 12; sent++) await send("github");
    expect(store.deliveries).toHaveLength(511);
    expect(logged.join()).toContain(
      'rejected requests not recorded: too many with an invalid signature {"endpoint":"github","unrecorded":20}',
    );
  });

  test("stores no more than 64 MiB of bodies in one burst; the rest is recorded without", async () => {
    const { url, store } = await serve({ triggers, clock });
    const large = new Uint8Array(1024 * 1024);
    for (let sent = 0; sent < 66; sent++) await post(`${url}/triggers/github`, large);
    expect(store.deliveries.filter(({ body }) => body !== null)).toHaveLength(64);
    expect(store.deliveries.at(-1)).toMatchObject({
      body: null,
      bodyBytes: large.length,
      bodySha256: expect.any(String),
      problem: { code: "invalid_signature" },
    });
  });
});

test("a signature is stored as received, so that it can be checked again", async () => {
  const body = '{"id":"evt_1"}';
  const { url, store } = await serve({ triggers, clock });
  await post(`${url}/triggers/github`, body, await signedBy("github", body, "another secret of some length"));
  const kept = store.deliveries[0];
  const mended = github({ secret: "another secret of some length" });
  expect(mended.check(requestOf(kept?.headers ?? {}, kept?.body ?? new Uint8Array(), kept?.receivedAt))).toBeNull();
});
