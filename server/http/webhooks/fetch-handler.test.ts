import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createReceiver } from "../../ingest/receive.ts";
import { createMemoryDeliveryStore } from "../../ingest/testing/memory-delivery-store.ts";
import { projectOf, triggerOf } from "../../ingest/testing/project.ts";
import { silentLogger } from "../../ports/logger.ts";
import { createFetchHandler } from "./fetch-handler.ts";

function openHandler() {
  const store = createMemoryDeliveryStore();
  const project = projectOf([triggerOf({ slug: "signup", request: z.object({ name: z.string() }) })]);
  const ingest = createReceiver({
    project: { current: () => project },
    store,
    authenticate: async (presented) =>
      presented.length > 0 && presented.every((key) => key === "good-key")
        ? { ok: true, keyId: "key_1" }
        : { ok: false },
    clock: { now: () => 1_700_000_000_000 },
    logger: silentLogger,
    maxBodyBytes: 1000,
    isShuttingDown: () => false,
  });
  return { store, handle: createFetchHandler((request) => ingest(request)) };
}

const url = "http://localhost/triggers/signup?token=good-key";
const json = { "content-type": "application/json" };

describe("the webhook handler for web Requests", () => {
  test("gives the responses of the node:http handler", async () => {
    const { store, handle } = openHandler();
    const accepted = await handle(
      new Request(url, { method: "POST", headers: json, body: JSON.stringify({ name: "Ada" }) }),
    );
    expect(accepted.status).toBe(202);
    expect(await accepted.json()).toMatchObject({ ok: true, runId: store.runs[0]?.id });
    expect(accepted.headers.get("signalbox-delivery")).toBe(store.deliveries[0]?.id);
    const statusOf = async (target: string, init: RequestInit) =>
      (await handle(new Request(target, { method: "POST", headers: json, ...init }))).status;
    expect(await statusOf("http://localhost/triggers/signup", { body: "{}" })).toBe(401);
    expect(await statusOf("http://localhost/triggers/nowhere?token=good-key", { body: "{}" })).toBe(404);
    expect(await statusOf("http://localhost/triggers/%zz?token=good-key", { body: "{}" })).toBe(400);
    expect(await statusOf(url, { method: "GET" })).toBe(405);
    expect(await statusOf(url, { headers: {}, body: "{}" })).toBe(415);
    expect(await statusOf(url, { body: `"${"x".repeat(1000)}"` })).toBe(413);
    expect(await statusOf(url, { body: "{" })).toBe(400);
    expect(await statusOf(url, {})).toBe(400);
    expect(await statusOf(url, { body: "{}" })).toBe(422);
  });

  test("accepts equal keys in a repeated header, and rejects a pair with an invalid one", async () => {
    const { handle } = openHandler();
    const statusOf = async (...keys: string[]) => {
      const headers = new Headers(json);
      for (const key of keys) headers.append("x-api-key", key);
      for (const key of keys) headers.append("authorization", `Bearer ${key}`);
      return (
        await handle(
          new Request("http://localhost/triggers/signup", { method: "POST", headers, body: `{"name":"Ada"}` }),
        )
      ).status;
    };
    expect(await statusOf("good-key", "good-key")).toBe(202);
    expect(await statusOf("good-key", "bad-key")).toBe(401);
  });

  test("answers HEAD without a body", async () => {
    const { handle } = openHandler();
    const response = await handle(new Request(url, { method: "HEAD" }));
    expect([response.status, response.body]).toEqual([405, null]);
  });

  test("records a body that ends early as incomplete, and stops reading one that is too long", async () => {
    const { store, handle } = openHandler();
    const send = (body: ReadableStream<Uint8Array>) =>
      handle(new Request(url, { method: "POST", headers: json, body, duplex: "half" } as RequestInit));
    let pulls = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => void (pulls++, controller.enqueue(new Uint8Array(600))),
    });
    expect((await send(endless)).status).toBe(413);
    expect(pulls).toBeLessThan(10);
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("gone")) });
    expect((await send(broken)).status).toBe(400);
    expect(store.deliveries[1]?.problem?.code).toBe("incomplete_body");
  });
});
