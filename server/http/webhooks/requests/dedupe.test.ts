import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Dedupe } from "../../../contract/project/endpoint.ts";
import type { Json } from "../../../contract/json.ts";
import { idempotencyOf } from "../../../domain/deliveries/idempotency.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { openSqliteStore } from "../../../store/sqlite/open-store.ts";
import { serve } from "../../testing/serve.ts";

const day = 86_400_000;
const byHeader: Dedupe = { header: "x-github-delivery", field: null, windowMs: 7 * day };
const byField: Dedupe = { header: null, field: "/event/id", windowMs: 3_600_000 };
const request = z.object({ n: z.number() });
const triggers = [
  triggerOf({ slug: "by-header", request, dedupe: byHeader }),
  ...["one", "two"].map((slug) => triggerOf({ slug, endpoint: "by-field", request, dedupe: byField })),
];

async function receiver() {
  const time = { now: 1_700_000_000_000 };
  const { url, store } = await serve({ triggers, clock: { now: () => time.now } });
  const post = async (endpoint: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/triggers/${endpoint}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      text: await response.text(),
      isReplay: response.headers.get("idempotent-replayed") === "true",
    };
  };
  return { post, store, time };
}

describe("a source that names events by a header", () => {
  test("answers a repeat within its window with the first response, and starts nothing", async () => {
    const { post, store, time } = await receiver();
    const send = () => post("by-header", { n: 1 }, { "X-GitHub-Delivery": "72d3162e" });
    const first = await send();
    time.now += 7 * day;
    expect(await send()).toEqual({ ...first, isReplay: true });
    expect(store.runs).toHaveLength(1);
    expect(store.deliveries.map(({ outcome }) => outcome)).toEqual(["accepted", "repeated"]);
    time.now += 1;
    expect((await send()).isReplay).toBe(false);
    expect(store.runs).toHaveLength(2);
  });

  test("answers the same name with another body 422", async () => {
    const { post } = await receiver();
    await post("by-header", { n: 1 }, { "x-github-delivery": "72d3162e" });
    const conflict = await post("by-header", { n: 2 }, { "x-github-delivery": "72d3162e" });
    expect([conflict.status, conflict.text]).toEqual([422, expect.stringContaining("idempotency_conflict")]);
  });

  test("uses its own header before the usual ones, and those if its own is not sent", async () => {
    const { post, store } = await receiver();
    await post("by-header", { n: 1 }, { "x-github-delivery": "a", "idempotency-key": "k" });
    expect((await post("by-header", { n: 1 }, { "x-github-delivery": "b", "idempotency-key": "k" })).isReplay).toBe(
      false,
    );
    expect((await post("by-header", { n: 1 }, { "x-github-delivery": "a", "idempotency-key": "other" })).isReplay).toBe(
      true,
    );
    await post("by-header", { n: 1 }, { "idempotency-key": "only" });
    expect((await post("by-header", { n: 1 }, { "idempotency-key": "only" })).isReplay).toBe(true);
    expect(store.runs).toHaveLength(3);
  });
});

describe("a source that names events by a field of the body", () => {
  test("treats the same event as a repeat even if its body differs elsewhere, on every trigger of the endpoint", async () => {
    const { post, store } = await receiver();
    const first = await post("by-field", { n: 1, event: { id: "evt_1", attempt: 1 } });
    expect(await post("by-field", { n: 1, event: { id: "evt_1", attempt: 2 } })).toEqual({ ...first, isReplay: true });
    expect(await post("by-field", { n: 2, event: { id: "evt_1" }, sentAt: "later" })).toEqual({
      ...first,
      isReplay: true,
    });
    expect(store.runs.map(({ trigger }) => trigger)).toEqual(["one", "two"]);
    expect((await post("by-field", { n: 1, event: { id: "evt_2" } })).isReplay).toBe(false);
  });

  test("remembers only what was accepted", async () => {
    const { post, store } = await receiver();
    await post("by-field", { n: "none", event: { id: "evt_1" } });
    expect((await post("by-field", { n: 1, event: { id: "evt_1" } })).isReplay).toBe(false);
    expect(store.runs).toHaveLength(2);
  });

  test("gives equal events that race one run each trigger, on disk", async () => {
    const dir = mkdtempSync(join(tmpdir(), "signalbox-dedupe-"));
    const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
    const { url, close } = await serve({ triggers, store });
    onTestFinished(async () => {
      await close(0);
      await store.close();
      rmSync(dir, { recursive: true });
    });
    const send = (attempt: number) =>
      fetch(`${url}/triggers/by-field`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ n: 1, event: { id: 7 }, attempt }),
      });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, attempt) => send(attempt)));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(11);
    expect((await store.listRuns({}, { limit: 100, cursor: null })).data).toHaveLength(2);
  });
});

const nameOf = (id: Json) =>
  idempotencyOf({ header: () => null, body: { event: { id } }, dedupe: byField, receivedAt: 0, signed: null })?.key ??
  null;

describe("the name of an event", () => {
  test("is a string or an integer, and every other one is another event", () => {
    const ids = fc.oneof(fc.string({ minLength: 1 }), fc.maxSafeInteger());
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        expect(nameOf(one) === nameOf(other)).toBe(one === other);
        expect(nameOf(one)).not.toBeNull();
      }),
    );
    expect(nameOf("1")).not.toBe(nameOf(1));
  });

  test("is never ambiguous: no null, no object, no number beyond the safe integers", () => {
    for (const id of [null, "", true, {}, ["a"], 1.5, 2 ** 53, 9_007_199_254_740_994]) expect(nameOf(id)).toBeNull();
    expect(idempotencyOf({ header: () => null, body: [], dedupe: byField, receivedAt: 0, signed: null })).toBeNull();
  });
});
