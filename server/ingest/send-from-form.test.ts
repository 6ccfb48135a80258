import { describe, expect, it } from "vitest";
import { z } from "zod";
import { silentLogger } from "../ports/logger.ts";
import { createReceiver } from "./receive.ts";
import { sendFromForm } from "./send-from-form.ts";
import { createMemoryDeliveryStore } from "./testing/memory-delivery-store.ts";
import { projectOf, triggerOf } from "./testing/project.ts";

const request = z.looseObject({ id: z.string() });
const form = [{ type: "form", field: null, bigints: "number" }] as const;
const key = "sbk_0123456789abcdefghijklmnopqrstuvw012345";

function open() {
  const store = createMemoryDeliveryStore();
  const current = projectOf([
    triggerOf({ slug: "orders", request, query: z.object({ topic: z.literal("refunds"), tag: z.array(z.string()) }) }),
    triggerOf({ slug: "sms", request, body: form, methods: ["GET"] }),
  ]);
  const project = { current: () => current };
  const receive = createReceiver({
    project,
    store,
    authenticate: async () => ({ ok: false }),
    clock: { now: () => 1_700_000_000_000 },
    logger: silentLogger,
    maxBodyBytes: 1000,
    isShuttingDown: () => false,
  });
  const deps = { receive, store: { getDeliveryHeaders: async () => null }, project };
  const send = (sent: Parameters<typeof sendFromForm>[1]) => sendFromForm(deps, sent);
  return { store, send };
}

const text = '{"id":"7"}';

describe("a delivery of a form", () => {
  it("has its query, which triggers evaluate, without keys", async () => {
    const { store, send } = open();
    for (const query of ["topic=refunds&tag=a%20b", `?tag=a+b&token=${key}&topic=refunds`])
      expect((await send({ endpoint: "orders", text, query })).runs).toHaveLength(1);
    expect(store.deliveries.map(({ headers }) => headers["signalbox-query"])).toEqual([
      "tag=a%20b&topic=refunds",
      "tag=a+b&topic=refunds",
    ]);
    expect(JSON.stringify(store.deliveries)).not.toContain(key);
  });

  it("is skipped if the query does not match, and has none by default", async () => {
    const { store, send } = open();
    for (const query of [undefined, "", "topic=returns&tag=a", "topic=refunds"])
      expect((await send({ endpoint: "orders", text, query })).runs).toEqual([]);
    expect(store.deliveries.map(({ verdicts }) => verdicts[0]?.outcome)).toEqual(Array(4).fill("query_mismatch"));
    expect(store.deliveries[0]?.headers).not.toHaveProperty("signalbox-query");
  });

  it("to an endpoint that accepts only GET is a GET with the body in its query", async () => {
    const { store, send } = open();
    expect((await send({ endpoint: "sms", text: '{"id":"7","to":["a b","c"]}' })).runs).toHaveLength(1);
    expect((await send({ endpoint: "sms", text, query: "to=d" })).runs).toHaveLength(1);
    expect(store.runs).toMatchObject([{ payload: { id: "7", to: ["a b", "c"] } }, { payload: { id: "7", to: "d" } }]);
    for (const { method, headers } of store.deliveries) {
      expect([method, headers["content-type"]]).toEqual(["GET", "application/x-www-form-urlencoded"]);
      expect(headers).not.toHaveProperty("content-length");
    }
  });
});
