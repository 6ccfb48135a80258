import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type DisabledTriggers, noneDisabled } from "../../../contract/disabled.ts";
import { oncePerTurn } from "../../../domain/event-loop.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { unavailable } from "../../../ingest/testing/memory-delivery-store.ts";
import { openSqliteStore } from "../../../store/sqlite/open-store.ts";
import { serve } from "../../testing/serve.ts";

const triggers = [
  triggerOf({ slug: "new-signup", endpoint: "signup", request: z.object({ email: z.email() }) }),
  triggerOf({ slug: "paid", endpoint: "billing", request: z.object({ amount: z.number() }) }),
  triggerOf({ slug: "large", endpoint: "billing", request: z.object({ amount: z.number().min(100) }) }),
];

async function withSwitches() {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-switches-"));
  const file = join(folder, "ledger.db");
  const [own, other] = await Promise.all([openSqliteStore({ file }), openSqliteStore({ file })]);
  onTestFinished(async () => {
    await Promise.all([own.close(), other.close()]);
    rmSync(folder, { recursive: true });
  });
  const look = oncePerTurn(() => own.listDisabledTriggers());
  const served = await serve({ triggers, disabledTriggers: () => look("all") });
  const post = async (endpoint: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${served.url}/triggers/${endpoint}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, json: (await response.json()) as object };
  };
  /** As another process does it. */
  const turn = (slug: string, to: "on" | "off") =>
    other.switchTrigger({ slug, disable: to === "on" ? null : { at: 0, reason: "noisy" } });
  const verdicts = () =>
    (served.store.deliveries.at(-1)?.verdicts ?? []).map(({ trigger, outcome }) => [trigger, outcome]);
  return { ...served, post, turn, verdicts };
}

test("a switch by another process applies to the next webhook, off and on", async () => {
  const { post, turn, verdicts, store } = await withSwitches();
  const ada = { email: "ada@example.com" };
  expect((await post("signup", ada)).status).toBe(202);
  await turn("new-signup", "off");
  expect(await post("signup", ada)).toEqual({ status: 200, json: { ok: true, skipped: true } });
  expect(verdicts()).toEqual([["new-signup", "disabled"]]);
  expect(await post("signup", { email: "none" })).toEqual({ status: 200, json: { ok: true, skipped: true } });
  await turn("new-signup", "on");
  expect((await post("signup", ada)).status).toBe(202);
  expect((await post("signup", { email: "none" })).status).toBe(422);
  expect(store.runs).toHaveLength(2);
});

test("the other triggers of the endpoint still fire", async () => {
  const { post, turn, verdicts } = await withSwitches();
  await turn("paid", "off");
  expect(await post("billing", { amount: 100 })).toMatchObject({ status: 202, json: { runs: [{ trigger: "large" }] } });
  expect(verdicts()).toEqual([
    ["large", "matched"],
    ["paid", "disabled"],
  ]);
  expect((await post("billing", { amount: 1 })).status).toBe(200);
});

test("a skipped event may be sent again under the same key, and an accepted one gets its first response even while the trigger is off", async () => {
  const { post, turn } = await withSwitches();
  const ada = { email: "ada@example.com" };
  await turn("new-signup", "off");
  expect((await post("signup", ada, { "idempotency-key": "one" })).status).toBe(200);
  await turn("new-signup", "on");
  const first = await post("signup", ada, { "idempotency-key": "one" });
  expect(first.status).toBe(202);
  await turn("new-signup", "off");
  expect(await post("signup", ada, { "idempotency-key": "one" })).toEqual(first);
});

/** A service whose keys are read together with the disabled triggers. Later reads see that none is disabled. */
async function withKeyAndSwitches() {
  const disabled = new Map([["new-signup", { at: "2026-01-01T00:00:00.000Z", reason: null }]]);
  const look = vi.fn<() => Promise<DisabledTriggers>>(async () => noneDisabled);
  const authenticated = { ok: true as const, keyId: null, disabled };
  const authenticate = vi.fn<() => Promise<typeof authenticated>>(async () => authenticated);
  return { ...(await serve({ triggers, authenticate, disabledTriggers: look })), authenticate, look };
}

const json = { "content-type": "application/json" };

test("the disabled triggers that were read with the key apply, without another read", async () => {
  const { url, look } = await withKeyAndSwitches();
  const body = '{"email":"ada@example.com"}';
  const response = await fetch(`${url}/triggers/signup`, { method: "POST", headers: json, body });
  expect([response.status, look.mock.calls.length]).toEqual([200, 0]);
});

test("a trigger that was switched while the body arrived is treated as it is then", async () => {
  const { url, authenticate, look } = await withKeyAndSwitches();
  const sent = request(`${url}/triggers/signup`, { method: "POST", headers: json });
  sent.write('{"email":');
  await vi.waitFor(() => expect(authenticate).toHaveBeenCalled());
  sent.end('"ada@example.com"}');
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  expect([response.statusCode, look.mock.calls.length]).toEqual([202, 1]);
});

test("if the switches cannot be read, nothing starts, and the sender retries", async () => {
  const { url, store } = await serve({ triggers, disabledTriggers: () => Promise.reject(unavailable) });
  const response = await fetch(`${url}/triggers/signup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"email":"ada@example.com"}',
  });
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(store.runs).toEqual([]);
});
