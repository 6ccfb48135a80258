import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  discord,
  github,
  hmac,
  hubspot,
  linear,
  linkedin,
  meta,
  shopify,
  slack,
  square,
  standardWebhooks,
  stripe,
  svix,
  twitter,
  type Verification,
  zoom,
} from "../../../../sdk/verify/index.ts";
import {
  base64Secret,
  discordKeys,
  linearSender,
  now,
  publicUrl,
  senders,
  textSecret,
} from "../../../../sdk/verify/testing/senders.ts";
import type { Dedupe } from "../../../contract/project/endpoint.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import type { Store } from "../../../ports/store.ts";
import { openSqliteStore } from "../../../store/sqlite/open-store.ts";
import { type PostgresServer, startPostgres } from "../../../store/testing/postgres-server.ts";
import { serve } from "../../testing/serve.ts";

const day = 86_400_000;
type Headers = Record<string, string>;

interface Case {
  name: string;
  verify: Verification;
  body: string;
  headers: () => Promise<Headers>;
  /** The identity of an event according to the sender's documentation. */
  dedupe?: Dedupe;
  /** The same signature under other header names. */
  rename?: (headers: Headers) => Headers;
}

const body = JSON.stringify({ id: "evt_1", event_id: "Ev1" });
const signedBy = (name: string) => async () => ({
  ...(await senders
    .find((one) => one.name === name)
    ?.sign({
      body: Buffer.from(body),
      at: now,
      secret:
        name === "discord"
          ? discordKeys.secret
          : name === "svix" || name === "standardWebhooks"
            ? base64Secret
            : textSecret,
    })),
});
const byHeader = (header: string): Dedupe => ({ header, field: null, windowMs: day });
const renamed = (from: string, to: string) => (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace(from, to), value]));
const hmacSender = senders.find(({ name }) => name === "hmac");
const linearBody = linearSender.bodyAt(now);

const cases: Case[] = [
  {
    name: "github",
    verify: github({ secret: textSecret }),
    body,
    headers: signedBy("github"),
    dedupe: byHeader("x-github-delivery"),
    rename: (headers) => ({
      ...headers,
      "x-hub-signature-256": `sha256=${headers["x-hub-signature-256"]?.slice(7).toUpperCase()}`,
    }),
  },
  {
    name: "stripe",
    verify: stripe({ secret: textSecret }),
    body,
    headers: signedBy("stripe"),
    rename: (headers) => ({ "stripe-signature": `${headers["stripe-signature"]},v1=${"0".repeat(64)},v0=1` }),
  },
  { name: "slack", verify: slack({ secret: textSecret }), body, headers: signedBy("slack") },
  {
    name: "shopify",
    verify: shopify({ secret: textSecret }),
    body,
    headers: signedBy("shopify"),
    dedupe: byHeader("x-shopify-webhook-id"),
  },
  {
    name: "linear",
    verify: linear({ secret: textSecret }),
    body: linearBody.toString(),
    headers: async () => linearSender.sign(linearBody),
    dedupe: byHeader("linear-delivery"),
  },
  {
    name: "standardWebhooks",
    verify: standardWebhooks({ secret: base64Secret }),
    body,
    headers: signedBy("standardWebhooks"),
  },
  {
    name: "svix",
    verify: svix({ secret: base64Secret }),
    body,
    headers: signedBy("svix"),
    dedupe: byHeader("svix-id"),
    rename: renamed("svix-", "webhook-"),
  },
  {
    name: "svix without dedupe",
    verify: svix({ secret: base64Secret }),
    body,
    headers: signedBy("svix"),
    rename: renamed("svix-", "webhook-"),
  },
  {
    name: "linkedin",
    verify: linkedin({ secret: textSecret }),
    body,
    headers: signedBy("linkedin"),
    rename: (headers) => ({ "x-li-signature": `hmacsha256=${headers["x-li-signature"]?.toUpperCase()}` }),
  },
  { name: "twitter", verify: twitter({ secret: textSecret }), body, headers: signedBy("twitter") },
  { name: "zoom", verify: zoom({ secret: textSecret }), body, headers: signedBy("zoom") },
  {
    name: "meta",
    verify: meta({ secret: textSecret, verifyToken: textSecret }),
    body,
    headers: signedBy("meta"),
    rename: (headers) => ({
      "x-hub-signature-256": `sha256=${headers["x-hub-signature-256"]?.slice(7).toUpperCase()}`,
    }),
  },
  { name: "square", verify: square({ secret: textSecret, url: publicUrl }), body, headers: signedBy("square") },
  { name: "hubspot", verify: hubspot({ secret: textSecret, url: publicUrl }), body, headers: signedBy("hubspot") },
  {
    name: "discord",
    verify: discord({ publicKey: discordKeys.secret }),
    body,
    headers: signedBy("discord"),
    dedupe: byHeader("x-event-id"),
    rename: (headers) => ({ ...headers, "x-signature-ed25519": headers["x-signature-ed25519"]?.toUpperCase() ?? "" }),
  },
  {
    name: "hmac with a timestamp",
    verify: hmacSender?.verify(textSecret) ?? github({ secret: textSecret }),
    body,
    headers: signedBy("hmac"),
  },
  {
    name: "hmac without a timestamp",
    verify: hmac({ secret: textSecret, header: "x-hub-signature-256", prefix: "sha256=" }),
    body,
    headers: signedBy("github"),
    dedupe: byHeader("x-event-id"),
  },
];

/** Every id that a sender may put into a header that its scheme does not sign. */
const unsignedNames = [
  "idempotency-key",
  "webhook-id",
  "svix-id",
  "x-github-delivery",
  "x-shopify-webhook-id",
  "linear-delivery",
  "x-event-id",
];
const unsignedIds = (headers: Headers, value: string): Headers =>
  Object.fromEntries(unsignedNames.filter((name) => !(name in headers)).map((name) => [name, value]));

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const openStores: Record<"SQLite" | "Postgres", () => Promise<Store>> = {
  async SQLite() {
    const dir = mkdtempSync(join(tmpdir(), "signalbox-replays-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    return openSqliteStore({ file: join(dir, "signalbox.db") });
  },
  Postgres: () => postgres.openStore(),
};

async function receiver(openStore: () => Promise<Store>, triggers: ReturnType<typeof triggerOf>[]) {
  const store = await openStore();
  const time = { now };
  const { url, close } = await serve({ triggers, store, clock: { now: () => time.now } });
  onTestFinished(async () => {
    await close(0);
    await store.close();
  });
  const post = async (endpoint: string, sent: string, headers: Headers) => {
    const response = await fetch(`${url}/triggers/${endpoint}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: sent,
    });
    return {
      status: response.status,
      text: await response.text(),
      isReplay: response.headers.get("idempotent-replayed") === "true",
    };
  };
  const countRuns = async () => (await store.listRuns({}, { limit: 100, cursor: null })).data.length;
  return { post, time, countRuns };
}

const request = z.looseObject({});

describe.each(["SQLite", "Postgres"] as const)("a replay of a signed request, on %s", (kind) => {
  test.each(cases)(
    "with other unsigned ids starts nothing and gets the first answer: $name",
    async ({ verify, body: sent, headers, dedupe, rename }) => {
      const { post, time, countRuns } = await receiver(openStores[kind], [
        triggerOf({ slug: "one", endpoint: "e", request, verify, ...(dedupe && { dedupe }) }),
        triggerOf({ slug: "two", endpoint: "e", request, verify, ...(dedupe && { dedupe }) }),
      ]);
      const signed = await headers();
      const first = await post("e", sent, { ...signed, ...unsignedIds(signed, "first") });
      expect([first.status, first.isReplay]).toEqual([202, false]);
      time.now += 60_000;
      const replays = [
        signed,
        { ...signed, ...unsignedIds(signed, "other") },
        ...(rename ? [rename(signed), { ...rename(signed), ...unsignedIds(rename(signed), "third") }] : []),
      ];
      for (const replay of replays) expect(await post("e", sent, replay)).toEqual({ ...first, isReplay: true });
      expect(await countRuns()).toBe(2);
    },
  );
});

describe("a source that verifies", () => {
  test("treats another body as another event, even if both have the same unsigned ids", async () => {
    const { post } = await receiver(openStores.SQLite, [
      triggerOf({ slug: "e", request, verify: github({ secret: textSecret }), dedupe: byHeader("x-github-delivery") }),
    ]);
    const sender = senders.find(({ name }) => name === "github");
    for (const sent of ['{"n":1}', '{"n":2}', '{ "n":2}']) {
      const answer = await post("e", sent, {
        ...(await sender?.sign({ body: Buffer.from(sent), at: now, secret: textSecret })),
        "x-github-delivery": "same",
        "idempotency-key": "same",
      });
      expect([answer.status, answer.isReplay]).toEqual([202, false]);
    }
  });

  test("uses a field of the body as the event's id before the signed id", async () => {
    const { post, countRuns } = await receiver(openStores.SQLite, [
      triggerOf({
        slug: "e",
        request,
        verify: stripe({ secret: textSecret }),
        dedupe: { header: null, field: "/id", windowMs: day },
      }),
    ]);
    const sender = senders.find(({ name }) => name === "stripe");
    const send = async (sent: string, at: number) =>
      post("e", sent, {
        ...(await sender?.sign({ body: Buffer.from(sent), at, secret: textSecret })),
        "idempotency-key": `${at}`,
      });
    await send('{"id":"evt_1","attempt":1}', now);
    expect((await send('{"id":"evt_1","attempt":2}', now + 1000)).isReplay).toBe(true);
    expect((await send('{"id":"evt_2","attempt":1}', now + 1000)).isReplay).toBe(false);
    expect(await countRuns()).toBe(2);
  });

  test("uses a header that the scheme signs: for hmac, those in signedContent", async () => {
    const verify = hmac({ secret: textSecret, header: "x-signature", signedContent: "{idempotency-key}.{body}" });
    const { post } = await receiver(openStores.SQLite, [triggerOf({ slug: "e", request, verify })]);
    const send = (key: string, sent: string) =>
      post("e", sent, {
        "idempotency-key": key,
        "webhook-id": sent,
        "x-signature": createHmac("sha256", textSecret).update(`${key}.${sent}`).digest("hex"),
      });
    expect((await send("a", "{}")).isReplay).toBe(false);
    expect((await send("b", "{}")).isReplay).toBe(false);
    expect((await send("a", "{}")).isReplay).toBe(true);
    expect((await send("a", "{ }")).status).toBe(422);
  });

  test("recognizes an event that Linear sends again at another time", async () => {
    const { post, countRuns } = await receiver(openStores.SQLite, [
      triggerOf({ slug: "e", request, verify: linear({ secret: textSecret }) }),
    ]);
    for (const [at, isReplay] of [
      [now, false],
      [now + 60_000, true],
    ] as const) {
      const sent = linearSender.bodyAt(at);
      expect((await post("e", sent.toString(), linearSender.sign(sent))).isReplay).toBe(isReplay);
    }
    expect(await countRuns()).toBe(1);
  });

  test("remembers an event for as long as its signature is valid, even if `window` is shorter", async () => {
    const { post, time } = await receiver(openStores.SQLite, [
      triggerOf({
        slug: "e",
        request,
        verify: slack({ secret: textSecret }),
        dedupe: { header: null, field: "/event_id", windowMs: 1000 },
      }),
    ]);
    const headers = await signedBy("slack")();
    time.now = now - 5 * 60_000;
    expect((await post("e", body, headers)).isReplay).toBe(false);
    time.now = now + 5 * 60_000;
    expect((await post("e", body, headers)).isReplay).toBe(true);
  });

  test("in development identifies unsigned requests by their usual names: without one, each is an event", async () => {
    const { url } = await serve({
      triggers: [triggerOf({ slug: "e", request, verify: github({ secret: textSecret }) })],
      mode: "development",
    });
    const post = async (headers: Headers) =>
      (
        await fetch(`${url}/triggers/e`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body,
        })
      ).headers.get("idempotent-replayed");
    expect([
      await post({}),
      await post({}),
      await post({ "idempotency-key": "k" }),
      await post({ "idempotency-key": "k" }),
    ]).toEqual([null, null, null, "true"]);
  });
});
