import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { Delivery } from "../../contract/delivery.ts";
import { triggerOf } from "../../ingest/testing/project.ts";
import { openSqliteStore } from "../../store/sqlite/open-store.ts";
import { serve } from "../testing/serve.ts";

const triggers = [
  triggerOf({ slug: "signup", request: z.object({ name: z.string() }) }),
  triggerOf({ slug: "paid", endpoint: "billing", request: z.object({ paid: z.boolean() }) }),
  triggerOf({ slug: "large", endpoint: "billing", request: z.object({ amount: z.number().min(100) }) }),
];
const key = "sbk_canary0123456789abcdefghijklmnopqrstuvw";
const page = { limit: 100, cursor: null };

async function serveOnDisk() {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-ingest-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  const served = await serve({
    triggers,
    store,
    authenticate: async (presented) =>
      presented.length > 0 && presented.every((one) => one === key) ? { ok: true, keyId: null } : { ok: false },
  });
  onTestFinished(async () => {
    await served.close(0);
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const post = async (path: string, body: unknown, headers: Record<string, string> = { "x-api-key": key }) => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    };
    const response = await fetch(`${served.url}/triggers/${path}`, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return { ...served, store, dir, post };
}

describe("the receiver over a store on disk", () => {
  test("gives twelve equal requests that race one run, one 202 and eleven replays of it", async () => {
    const { post, store } = await serveOnDisk();
    const headers = { "x-api-key": key, "idempotency-key": "evt_1" };
    const answers = await Promise.all(Array.from({ length: 12 }, () => post("signup", { name: "Ada" }, headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(202));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get("idempotent-replayed") === "true")).toHaveLength(11);
    expect((await store.listRuns({}, page)).data).toHaveLength(1);
    const { data } = await store.listDeliveries({}, page);
    expect(data.map(({ outcome }) => outcome).sort()).toEqual(["accepted", ...Array<string>(11).fill("repeated")]);
    const { runId } = JSON.parse(answers[0]?.text ?? "") as { runId: string };
    expect(new Set(data.flatMap(({ verdicts }) => verdicts.map((verdict) => verdict.runId)))).toEqual(new Set([runId]));
  });

  test("replays the first answer of a shared endpoint word for word, and remembers only what was accepted", async () => {
    const { post, store } = await serveOnDisk();
    const headers = { "x-api-key": key, "webhook-id": "evt_1" };
    expect((await post("billing", { other: 1 }, headers)).text).toBe(`{"ok":true,"skipped":true}`);
    const first = await post("billing", { paid: true, amount: 100 }, headers);
    const again = await post("billing", { paid: true, amount: 100 }, headers);
    expect([first.status, again.status, again.text]).toEqual([202, 202, first.text]);
    expect((await post("billing", { other: 1 }, headers)).status).toBe(422);
    expect((await store.listDeliveries({}, page)).data.map(({ outcome }) => outcome)).toEqual([
      "rejected",
      "repeated",
      "accepted",
      "skipped",
    ]);
    expect((await store.listRuns({}, page)).data).toHaveLength(2);
  });

  test("stores every delivery as received, and reports exactly what it stored", async () => {
    const { post, store } = await serveOnDisk();
    const body = `{ "name":\t"Ada ☃" }\n`;
    const accepted = await post("signup", body);
    const rejected = await post("signup", "nonsense");
    const unknown = await post("nowhere", {});
    const kept = await Promise.all(
      [accepted, rejected, unknown].map(({ headers }) => store.getDelivery(headers.get("signalbox-delivery") ?? "")),
    );
    expect(kept.map((delivery) => Buffer.from(delivery?.body ?? "", "base64").toString())).toEqual([
      body,
      "nonsense",
      "",
    ]);
    expect(kept.map((delivery) => delivery?.json)).toEqual([{ name: "Ada ☃" }, null, null]);
    expect(kept).toMatchObject<Partial<Delivery>[]>([
      { outcome: "accepted", responseStatus: 202 },
      { outcome: "rejected", responseStatus: 400, problem: JSON.parse(rejected.text) as Delivery["problem"] },
      { outcome: "rejected", responseStatus: 404, endpoint: "nowhere" },
    ]);
  });

  test("writes no key, cookie or authorization to disk with any response", async () => {
    const { post, dir, logged } = await serveOnDisk();
    const answers = [
      await post(`signup?token=${key}`, { name: "Grace" }, { cookie: "canary-cookie" }),
      await post(`signup?token=${key}`, { name: 1 }, { authorization: `Bearer ${key}`, referer: `/?token=${key}` }),
      await post(`signup?token=canary-wrong`, { name: 1 }, { "proxy-authorization": "canary-proxy" }),
      await post(`signup&token=${key}`, {}, {}),
      await post(`${key}`, {}),
      await post("signup", "{", { "x-api-key": key, "x-more": key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 422, 401, 401, 404, 400]);
    const written = readdirSync(dir).map((file) => readFileSync(join(dir, file), "latin1"));
    const everything = [
      ...written,
      ...logged,
      ...answers.map(({ text, headers }) => text + JSON.stringify([...headers])),
    ].join("\n");
    expect(everything).toContain("Grace");
    expect(everything).not.toMatch(/canary/);
  });

  test("while the store is locked, never writes a request whose sender has closed the connection", async () => {
    const { post, store, dir, url } = await serveOnDisk();
    const other = new Database(join(dir, "signalbox.db"));
    other.exec("BEGIN IMMEDIATE");
    const abandoned = Array.from({ length: 10 }, () => openRequest(url));
    const patient = post("signup", { name: "Ada" });
    await vi.waitFor(async () => expect((await store.numbers()).waitingWrites).toBe(11));
    for (const request of abandoned) request.destroy();
    await vi.waitFor(async () => expect((await store.numbers()).waitingWrites).toBe(1));
    other.exec("ROLLBACK");
    other.close();
    expect((await patient).status).toBe(202);
    expect((await store.listRuns({}, page)).data).toHaveLength(1);
    expect((await store.listDeliveries({}, page)).data).toHaveLength(1);
  });
});

/** A webhook whose response is not awaited. */
function openRequest(url: string): ClientRequest {
  const headers = { "content-type": "application/json", "x-api-key": key };
  const sent = request(`${url}/triggers/signup`, { method: "POST", headers, agent: false });
  sent.on("error", () => {});
  sent.end(JSON.stringify({ name: "Grace" }));
  return sent;
}
