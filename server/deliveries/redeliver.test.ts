import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { custom, gitlab, sns, square, stripe, type Verification } from "../../sdk/verify/index.ts";
import { senders } from "../../sdk/verify/testing/senders.ts";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import type { TriggerSource } from "../ports/project.ts";
import { serve } from "../http/testing/serve.ts";
import { projectOf, triggerOf } from "../ingest/testing/project.ts";
import { noSignals } from "../ports/signals.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";
import { explainDelivery } from "./evaluate-again.ts";
import { getDelivery } from "./read-deliveries.ts";
import { redeliver } from "./redeliver.ts";

const [wrong, right] = ["the secret of yesterday", "the secret of today"];
const at = 1_700_000_000_000;
const body = '{"id":"evt_1","amount":5}';
const triggerBy = (verify: Verification) =>
  triggerOf({
    slug: "paid",
    request: z.object({ id: z.string() }),
    verify,
    dedupe: { header: null, field: "/id", windowMs: 86_400_000 },
  });

/** A request with a good signature came while the secret here was wrong. */
async function rejectedDelivery() {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-rejected-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  const served = await serve({ triggers: [triggerBy(stripe({ secret: wrong }))], store, clock: { now: () => at } });
  const mended = await serve({ triggers: [triggerBy(stripe({ secret: right }))], store, clock: { now: () => at } });
  onTestFinished(async () => {
    await Promise.all([served.close(0), mended.close(0)]);
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const headers = await senders
    .find(({ name }) => name === "stripe")
    ?.sign({ body: Buffer.from(body), at, secret: right });
  const post = (url: string) =>
    fetch(`${url}/triggers/paid`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  const answer = await post(served.url);
  const id = answer.headers.get("signalbox-delivery") ?? "";
  // Days later: the time of signing was right when it came.
  const again = (verify: Verification, p: { id?: string; trigger?: string } = {}) =>
    redeliver(
      {
        store,
        originals: store,
        project: { current: () => projectOf([triggerBy(verify)]) },
        signals: noSignals,
        clock: { now: () => at + 3 * 86_400_000 },
      },
      { id: p.id ?? id, trigger: p.trigger ?? null, startedBy: "form" },
    );
  return {
    store,
    id,
    again,
    sendAgain: () => post(mended.url),
    runs: async () => (await store.listRuns({}, { limit: 10, cursor: null })).data,
  };
}

test("a delivery that was rejected for its signature runs after the secret is fixed, at any later time", async () => {
  const { store, id, again, runs } = await rejectedDelivery();
  expect(await getDelivery({ store }, id)).toMatchObject({
    outcome: "rejected",
    responseStatus: 401,
    problem: { code: "invalid_signature" },
    body: Buffer.from(body).toString("base64"),
  });
  const redelivered = await getDelivery({ store }, await again(stripe({ secret: [right, wrong] })));
  expect(redelivered).toMatchObject({ outcome: "accepted", redeliveryOf: id, verdicts: [{ outcome: "matched" }] });
  expect(await runs()).toHaveLength(1);
});

test("while the signature is invalid, it starts nothing and gives the reason", async () => {
  const { id, again, runs } = await rejectedDelivery();
  for (const [verify, why] of [
    [stripe({ secret: wrong }), "does not match"],
    [stripe({ secret: undefined }), "its secret is not set"],
  ] as const) {
    await expect(again(verify)).rejects.toMatchObject({
      code: "not_replayable",
      message: expect.stringMatching(new RegExp(`^The signature of delivery ${id} is still invalid\\. .*${why}`)),
    });
  }
  expect(await runs()).toEqual([]);
});

test("it counts as the sender's own attempt: the event that the sender repeats later starts nothing again", async () => {
  const { again, sendAgain, runs } = await rejectedDelivery();
  await again(stripe({ secret: right }));
  expect((await sendAgain()).headers.get("idempotent-replayed")).toBe("true");
  await expect(again(stripe({ secret: right }))).rejects.toMatchObject({
    code: "not_replayable",
    message: expect.stringContaining("This event was accepted in the meantime as delivery dlv_"),
  });
  expect(await runs()).toHaveLength(1);
});

test("what the sender has repeated by itself meanwhile is not run twice, unless that is asked for of one trigger", async () => {
  const { again, sendAgain, runs } = await rejectedDelivery();
  expect((await sendAgain()).status).toBe(202);
  await expect(again(stripe({ secret: right }))).rejects.toMatchObject({ code: "not_replayable" });
  expect(await runs()).toHaveLength(1);
  await again(stripe({ secret: right }), { trigger: "paid" });
  expect(await runs()).toHaveLength(2);
});

/** A delivery that one verification rejected, and how to redeliver it with another one. */
async function rejectedBy(verify: Verification, path: string, headers: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-rejected-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  const baseUrl = "https://hooks.example.com";
  const served = await serve({ triggers: [triggerBy(verify)], store, baseUrl, clock: { now: () => at } });
  onTestFinished(async () => {
    await served.close(0);
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const answer = await fetch(served.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const id = answer.headers.get("signalbox-delivery") ?? "";
  const again = (fixed: Verification) =>
    redeliver(
      {
        store,
        originals: store,
        project: { current: () => projectOf([triggerBy(fixed)]) },
        signals: noSignals,
        clock: { now: () => at + 3 * 86_400_000 },
      },
      { id, trigger: null, startedBy: "form" },
    );
  return { store, again, status: answer.status };
}

test("a delivery whose check failed runs after the check is fixed", async () => {
  const { store, again, status } = await rejectedBy(
    custom({ name: "acme", check: () => Promise.reject(new Error("no table")) }),
    "/triggers/paid?a=1",
    { "x-custom": "7" },
  );
  expect(status).toBe(500);
  await expect(again(custom({ name: "acme", check: () => ({ reason: "Unknown." }) }))).rejects.toMatchObject({
    message: expect.stringContaining("is still invalid. The check rejected the request (custom: acme): Unknown."),
  });
  const seen: unknown[] = [];
  const fixed = custom({
    name: "acme",
    async check({ body: bytes, headers, method, url, receivedAt }) {
      seen.push(Buffer.from(bytes).toString(), headers.get("X-Custom"), method, url, receivedAt.getTime());
      return true;
    },
  });
  expect(await getDelivery({ store }, await again(fixed))).toMatchObject({ outcome: "accepted" });
  expect(seen).toEqual([body, "7", "POST", "https://hooks.example.com/triggers/paid?a=1", at]);
});

const bySquare = (path: string) => ({
  "x-square-hmacsha256-signature": createHmac("sha256", right)
    .update(`https://hooks.example.com${path}${body}`)
    .digest("base64"),
});

test("a signature that covers the URL is checked again with the recorded URL", async () => {
  const path = "/triggers/paid?shop=1";
  const { store, again } = await rejectedBy(square({ secret: wrong }), path, bySquare(path));
  expect(await getDelivery({ store }, await again(square({ secret: right })))).toMatchObject({ outcome: "accepted" });
});

test("a URL with a key is not stored, so its signature can be checked again only with the option url", async () => {
  const path = "/triggers/paid?token=sbk_0123456789abcdefghijklmnopqrstuvw012345";
  const { store, again } = await rejectedBy(square({ secret: wrong }), path, bySquare(path));
  await expect(again(square({ secret: right }))).rejects.toMatchObject({
    code: "not_replayable",
    message: expect.stringContaining("it covers the URL, which contains a key and is not stored."),
  });
  const url = `https://hooks.example.com${path}`;
  expect(await getDelivery({ store }, await again(square({ secret: right, url })))).toMatchObject({
    outcome: "accepted",
  });
});

test("a token is not stored, so it cannot be checked again", async () => {
  const { store, again } = await rejectedBy(gitlab({ secret: wrong }), "/triggers/paid", { "x-gitlab-token": right });
  await expect(again(gitlab({ secret: right }))).rejects.toMatchObject({
    message: expect.stringContaining("it covers the header x-gitlab-token, which contains a key and is not stored."),
  });
  const { data } = await store.listDeliveries({}, { limit: 10, cursor: null });
  expect(JSON.stringify(await Promise.all(data.map(({ id }) => getDelivery({ store }, id))))).not.toContain(right);
});

const triggerOfFormat = (format: BodyFormat) =>
  triggerOf({ slug: "command", body: [format], request: z.object({ text: z.string() }) });

test("a form that an endpoint did not accept runs from the same bytes after its format is set", async () => {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-form-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  const json = triggerOfFormat({ type: "json", bigints: "number" });
  const served = await serve({ triggers: [json], store });
  onTestFinished(async () => {
    await served.close(0);
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const sent = "text=a%20b&text2=%2B";
  const answer = await fetch(`${served.url}/triggers/command`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: sent,
  });
  expect(answer.status).toBe(415);
  const id = answer.headers.get("signalbox-delivery") ?? "";
  const again = (trigger: TriggerSource) =>
    redeliver(
      {
        store,
        originals: store,
        project: { current: () => projectOf([trigger]) },
        signals: noSignals,
        clock: { now: () => Date.now() },
      },
      { id, trigger: null, startedBy: "form" },
    );
  await expect(again(json)).rejects.toMatchObject({ code: "not_replayable" });
  const form = triggerOfFormat({ type: "form", field: null, bigints: "number" });
  const redelivered = await getDelivery({ store }, await again(form));
  expect(redelivered).toMatchObject({ outcome: "accepted", redeliveryOf: id });
  expect(Buffer.from(redelivered.body ?? "", "base64").toString()).toBe(sent);
  const [run] = (await store.listRuns({}, { limit: 1, cursor: null })).data;
  expect((await store.getRun(run?.id ?? ""))?.payload).toEqual({ text: "a b" });
});

test("a message of SNS is JSON sent as text/plain also when it is evaluated again, on an endpoint with several formats", async () => {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-sns-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  const topic = triggerOf({
    slug: "topic",
    body: [
      { type: "json", bigints: "number" },
      { type: "form", field: null, bigints: "number" },
    ],
    verify: sns({ topicArn: "arn:aws:sns:eu-west-1:123456789012:orders" }),
    request: z.object({ Type: z.literal("Notification") }),
  });
  const served = await serve({ triggers: [topic], store });
  onTestFinished(async () => {
    await served.close(0);
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const answer = await fetch(`${served.url}/triggers/topic`, {
    method: "POST",
    headers: { "content-type": "text/plain; charset=UTF-8" },
    body: JSON.stringify({ Type: "Notification", Signature: "x", TopicArn: "arn:aws:sns:eu-west-1:1:a" }),
  });
  expect(answer.status).toBe(401);
  const { verdicts } = await explainDelivery(
    {
      store,
      originals: store,
      masking: { readMasks: async () => null },
      project: { current: () => projectOf([topic]) },
      clock: { now: () => Date.now() },
    },
    { id: answer.headers.get("signalbox-delivery") ?? "", trigger: null },
  );
  expect(verdicts).toMatchObject([{ outcome: "matched" }]);
});
