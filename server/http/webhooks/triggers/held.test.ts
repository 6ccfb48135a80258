import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { releaseDeliveries } from "../../../deliveries/release.ts";
import { projectOf, triggerOf } from "../../../ingest/testing/project.ts";
import { systemClock } from "../../../ports/clock.ts";
import { noSignals } from "../../../ports/signals.ts";
import { openSqliteStore } from "../../../store/sqlite/open-store.ts";
import { serve } from "../../testing/serve.ts";

const paid = z.object({ type: z.literal("paid"), amount: z.number() });
const held = { status: 202, text: '{"ok":true,"held":true}' };

const triggerOn = (given: Partial<Parameters<typeof triggerOf>[0]> = {}) =>
  triggerOf({ slug: "paid", endpoint: "billing", request: paid, onMismatch: "hold", ...given });

async function send(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/triggers/billing`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('onMismatch: "hold"', () => {
  const filter = z.object({ amount: z.number().min(100) });
  const headers = z.object({ "x-event": z.literal("a") });

  test.each([
    ["request", [triggerOn()], { type: "paid" }],
    ["request of several triggers", [triggerOn(), triggerOn({ slug: "b" })], {}],
    ["filter", [triggerOn({ filter })], { type: "paid", amount: 1 }],
    ["headers", [triggerOn({ headers })], { type: "paid", amount: 1 }],
  ] as const)(
    "answers 202 to a request that the %s stops, and keeps it with its verdicts",
    async (_, triggers, body) => {
      const { url, store } = await serve({ triggers });
      expect(await send(url, body)).toMatchObject(held);
      expect(store.deliveries).toMatchObject([
        { outcome: "held", responseStatus: 202, problem: null, body: Buffer.from(JSON.stringify(body)) },
      ]);
      expect(store.deliveries[0]?.verdicts).toHaveLength(triggers.length);
      expect(store.runs).toEqual([]);
    },
  );

  test("holds a request whose triggers are disabled, and accepts one that any trigger matches", async () => {
    const disabled = new Map([["paid", { at: "2026-01-01T00:00:00.000Z", reason: null }]]);
    const off = await serve({ triggers: [triggerOn()], disabledTriggers: async () => disabled });
    expect(await send(off.url, { type: "paid", amount: 1 })).toMatchObject(held);
    const on = await serve({ triggers: [triggerOn(), triggerOn({ slug: "b", request: z.object({ b: z.string() }) })] });
    expect(await send(on.url, { type: "paid", amount: 1 })).toMatchObject({ status: 202 });
    expect(on.store.deliveries).toMatchObject([{ outcome: "accepted" }]);
  });

  test("rejects invalid JSON, another format and an invalid key as on any endpoint", async () => {
    const { url, store } = await serve({ triggers: [triggerOn()] });
    const post = (body: string, type: string) =>
      fetch(`${url}/triggers/billing`, { method: "POST", headers: { "content-type": type }, body });
    expect([(await post("{", "application/json")).status, (await post("a", "text/plain")).status]).toEqual([400, 415]);
    const locked = await serve({ triggers: [triggerOn()], authenticate: async () => ({ ok: false }) });
    expect((await send(locked.url, {})).status).toBe(401);
    expect([...store.deliveries, ...locked.store.deliveries].map(({ outcome }) => outcome)).toEqual(
      Array(3).fill("rejected"),
    );
  });

  test("answers with the fixed reply of the endpoint", async () => {
    const reply = { status: 201, body: "ok", headers: {} };
    const { url, store } = await serve({ triggers: [triggerOn({ reply })] });
    expect(await send(url, {})).toMatchObject({ status: 201, text: "ok" });
    expect(store.deliveries).toMatchObject([{ outcome: "held", responseStatus: 201 }]);
  });
});

test("a repeat of a held event gets its response, also while it is held, and its runs after the release", async () => {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-held-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  const strict = await serve({ triggers: [triggerOn()], store });
  const fixed = [triggerOn({ request: paid.extend({ amount: z.coerce.number() }) })];
  const deployed = await serve({ triggers: fixed, store });
  onTestFinished(async () => {
    await Promise.all([strict.close(0), deployed.close(0)]);
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const event = [{ type: "paid", amount: "5" }, { "idempotency-key": "evt_1" }] as const;
  const first = await send(strict.url, ...event);
  expect(first).toMatchObject(held);
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  for (const { url } of [strict, deployed]) {
    const again = await send(url, ...event);
    expect(again).toMatchObject(held);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  }
  expect(await send(strict.url, {}, event[1])).toMatchObject({
    status: 422,
    text: expect.stringContaining("another body"),
  });

  const deps = {
    store,
    originals: store,
    masking: { readMasks: async () => null },
    project: { current: () => projectOf(fixed) },
    signals: noSignals,
    clock: systemClock,
  };
  const id = first.headers.get("signalbox-delivery") ?? "";
  const batch = await releaseDeliveries(deps, { ids: [id], action: "release", startedBy: "cli" });
  const [run] = batch.data[0]?.runs ?? [];
  expect(batch).toMatchObject({ released: 1, data: [{ id, result: "released" }] });
  const last = await send(deployed.url, ...event);
  expect([last.status, last.headers.get("idempotent-replayed"), JSON.parse(last.text)]).toEqual([
    202,
    "true",
    expect.objectContaining({ runId: run?.runId }),
  ]);
  const all = { limit: 100, cursor: null };
  expect((await store.listRuns({}, all)).data).toHaveLength(1);
  expect((await store.listDeliveries({ outcome: "held" }, all)).data).toEqual([]);
});
