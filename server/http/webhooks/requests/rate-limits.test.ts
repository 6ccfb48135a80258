import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { ReceiverEvent } from "../../../ingest/accept.ts";
import type { Authenticate } from "../../../ingest/receive.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { sendRaw, serve } from "../../testing/serve.ts";

const request = z.object({ name: z.string() });
const own = { requests: 2, per: "minute" } as const;
const triggers = [
  ...["signup", "billing"].map((slug) => triggerOf({ slug, request })),
  ...["pushed", "tagged"].map((slug) => triggerOf({ slug, endpoint: "code", request, rateLimit: own })),
];
const byName: Authenticate = async ([key]) =>
  key === "ada" || key === "eve" ? { ok: true, keyId: `key_${key}` } : { ok: false };

async function limited(
  limits: NonNullable<Parameters<typeof serve>[0]>["limits"],
  onEvent?: (event: ReceiverEvent) => void,
) {
  const served = await serve({ triggers, authenticate: byName, limits, onEvent });
  const send = async (key: string, endpoint = "signup", body = '{"name":"Ada"}') => {
    const response = await fetch(`${served.url}/triggers/${endpoint}?token=${key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return {
      status: response.status,
      headers: response.headers,
      json: (await response.json()) as Record<string, unknown>,
    };
  };
  return { ...served, send };
}

test("a key over its limit gets 429 with Retry-After on every endpoint; other keys are not affected", async () => {
  const { send, store } = await limited({ perKey: { requests: 2, per: "hour" } });
  expect((await send("ada")).headers.get("ratelimit")).toBe('"key";r=1;t=1800');
  expect((await send("ada", "signup", "{}")).status).toBe(422);
  const { status, headers, json } = await send("ada", "billing");
  expect([status, json]).toEqual([
    429,
    {
      type: "/errors/rate_limited",
      title: expect.any(String),
      status: 429,
      code: "rate_limited",
      detail: expect.stringMatching(
        /^The limit of this key is 2 requests per hour\. Send the request again in \d+ seconds\.$/,
      ),
    },
  ]);
  expect(headers.get("ratelimit-policy")).toBe('"key";q=2;w=3600');
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(1700);
  expect(headers.get("ratelimit")).toBe(`"key";r=0;t=${headers.get("retry-after")}`);
  expect(headers.get("signalbox-delivery")).toBe(store.deliveries[2]?.id);
  expect(store.deliveries[2]).toMatchObject({
    outcome: "rejected",
    responseStatus: 429,
    body: null,
    keyId: "key_ada",
    problem: { code: "rate_limited" },
  });
  expect((await send("eve")).status).toBe(202);
  expect(store.runs).toHaveLength(2);
});

test("an endpoint over its limit gets 429 for all keys, and rejected requests are not charged to the key", async () => {
  const { send } = await limited({ perKey: { requests: 3, per: "hour" }, perEndpoint: { requests: 1, per: "hour" } });
  expect((await send("ada")).headers.get("ratelimit")).toBe('"key";r=2;t=1200, "endpoint";r=0;t=3600');
  for (const key of ["ada", "ada", "ada", "eve"])
    expect((await send(key)).json["detail"]).toMatch(/^The limit of this endpoint is 1 request per hour/);
  expect((await send("ada", "billing")).status).toBe(202);
});

test("the limit of an endpoint's sources applies to all of them and all keys together, instead of the limit of endpoints, and to no other endpoint", async () => {
  const { send } = await limited({ perEndpoint: { requests: 1, per: "hour" } });
  const first = await send("ada", "code");
  expect([first.status, first.headers.get("ratelimit-policy"), first.headers.get("ratelimit")]).toEqual([
    202,
    '"endpoint";q=2;w=60',
    '"endpoint";r=1;t=30',
  ]);
  expect((await send("eve", "code")).status).toBe(202);
  const over = await send("ada", "code");
  expect([over.status, over.json["detail"]]).toEqual([
    429,
    expect.stringMatching(
      /^The limit of this endpoint is 2 requests per minute\. Send the request again in \d+ seconds\.$/,
    ),
  ]);
  expect(over.headers.get("ratelimit")).toBe(`"endpoint";r=0;t=${over.headers.get("retry-after")}`);
  expect((await send("ada", "signup")).headers.get("ratelimit")).toBe('"endpoint";r=0;t=3600');
  const alone = await limited({});
  expect((await alone.send("ada", "code")).headers.get("ratelimit")).toBe('"endpoint";r=1;t=30');
  expect((await alone.send("ada", "signup")).headers.has("ratelimit")).toBe(false);
});

test("a request without a valid key is charged to no limit, and its response has no limit headers", async () => {
  const { send } = await limited({ perKey: { requests: 1, per: "hour" }, perEndpoint: { requests: 1, per: "hour" } });
  for (let n = 0; n < 3; n += 1) {
    const { status, headers } = await send("mallory");
    expect([status, headers.has("ratelimit"), headers.has("ratelimit-policy")]).toEqual([401, false, false]);
  }
  expect((await send("ada")).status).toBe(202);
});

test("a flood over a limit is answered in full, recorded in part, and its bodies are not read", async () => {
  const unrecorded: string[] = [];
  const { send, store, port } = await limited(
    { perKey: { requests: 1, per: "hour" } },
    (event) => event.type === "unrecorded" && unrecorded.push(event.code),
  );
  await send("ada");
  // More are recorded as time passes, and a slow machine takes its time for them.
  const stopped = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => stopped.mockRestore());
  const answers = await Promise.all(Array.from({ length: 300 }, () => send("ada")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
  expect(store.deliveries.length).toBeLessThan(60);
  // Each is counted once: as a delivery, or as an unrecorded one.
  expect(new Set(unrecorded)).toEqual(new Set(["rate_limited"]));
  expect(store.deliveries.length + unrecorded.length).toBe(301);
  const unread = await sendRaw(
    port,
    "POST /triggers/signup?token=ada HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
  );
  expect([unread.status, /^connection: close\r?$/im.test(unread.head)]).toEqual([429, true]);
});

test("without limits, no response has limit headers", async () => {
  const { send } = await limited({});
  const { status, headers } = await send("ada");
  expect([status, headers.has("ratelimit"), headers.has("ratelimit-policy")]).toEqual([202, false, false]);
});
