import { describe, expect, test } from "vitest";
import { z } from "zod";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { serve } from "../../testing/serve.ts";

const paid = z.object({ type: z.literal("paid"), amount: z.number() });
const failed = z.object({ type: z.literal("failed"), reason: z.string(), code: z.string() });

async function send(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/triggers/billing`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const on = (onMismatch: "reject" | "skip" | "hold", ...schemas: z.ZodType[]) =>
  schemas.map((request, at) => triggerOf({ slug: `t${at}`, endpoint: "billing", request, onMismatch }));

describe("onMismatch", () => {
  test('"skip" answers 200 to a body that does not match the only trigger', async () => {
    const { url, store } = await serve({ triggers: on("skip", paid) });
    expect(await send(url, {})).toMatchObject({ status: 200, text: '{"ok":true,"skipped":true}' });
    expect(store.deliveries).toMatchObject([{ outcome: "skipped", verdicts: [{ outcome: "request_mismatch" }] }]);
  });

  test('"reject" answers 422 with the errors of the nearest trigger, also on a shared endpoint', async () => {
    const { url } = await serve({ triggers: on("reject", failed, paid) });
    const { status, text } = await send(url, { type: "paid", amount: "1" });
    expect([status, (JSON.parse(text) as { errors: { pointer: string }[] }).errors]).toMatchObject([
      422,
      [{ pointer: "/amount" }],
    ]);
    expect((await send(url, { type: "paid", amount: 1 })).status).toBe(202);
  });

  test('"reject" skips what only a filter, headers or a switch stops', async () => {
    const [first, second] = on("reject", paid, failed);
    const filtered = triggerOf({
      slug: "filtered",
      endpoint: "billing",
      request: z.object({ type: z.string() }),
      filter: z.object({ type: z.literal("none") }),
      onMismatch: "reject",
    });
    const headed = triggerOf({
      slug: "headed",
      endpoint: "billing",
      request: paid,
      headers: z.object({ "x-event": z.literal("a") }),
      onMismatch: "reject",
    });
    for (const triggers of [[filtered], [headed], [first, filtered], [second, headed]]) {
      const { url } = await serve({ triggers: triggers.filter((one) => one !== undefined) });
      expect((await send(url, { type: "other" })).status).toBe(200);
    }
    const disabled = new Map([["t0", { at: "2026-01-01T00:00:00.000Z", reason: null }]]);
    const { url } = await serve({ triggers: on("reject", paid), disabledTriggers: async () => disabled });
    expect((await send(url, {})).status).toBe(200);
  });
});

describe("reply", () => {
  const reply = { status: 201, body: "<Response/>", headers: { "content-type": "text/xml" } };
  const triggers = [
    triggerOf({ slug: "a", endpoint: "billing", request: paid, reply }),
    triggerOf({ slug: "b", endpoint: "billing", request: failed, reply }),
  ];

  test("is the response to accepted, repeated and skipped requests, and the runs start as usual", async () => {
    const { url, store } = await serve({ triggers });
    const key = { "idempotency-key": "evt_1" };
    const answers = [
      await send(url, { type: "paid", amount: 1 }, key),
      await send(url, { type: "paid", amount: 1 }, key),
      await send(url, {}),
    ];
    for (const { status, text, headers } of answers)
      expect([status, text, headers.get("content-type")]).toEqual([201, "<Response/>", "text/xml"]);
    expect(answers.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true", null]);
    expect(answers.every(({ headers }) => headers.get("signalbox-delivery")?.startsWith("dlv_"))).toBe(true);
    expect(store.runs).toHaveLength(1);
    expect(store.deliveries.map(({ outcome, responseStatus }) => `${outcome} ${responseStatus}`).sort()).toEqual([
      "accepted 201",
      "repeated 201",
      "skipped 201",
    ]);
  });

  test("is not the response to a rejected request", async () => {
    const { url } = await serve({ triggers });
    const response = await fetch(`${url}/triggers/billing`, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("content-type")]).toEqual([415, "application/problem+json"]);
  });

  describe("for each outcome", () => {
    const byOutcome = {
      accepted: { status: 200, body: "On it", headers: {} },
      skipped: { status: 200, body: "No such command", headers: {} },
      repeated: { status: 208, body: "Already on it", headers: {} },
      held: { status: 202, body: "Later", headers: {} },
      rejected: { body: "", headers: {} },
    };
    const key = { "idempotency-key": "evt_1" };
    const serveWith = (reply: typeof byOutcome | object, onMismatch: "reject" | "skip" | "hold" = "skip") =>
      serve({ triggers: [triggerOf({ slug: "a", endpoint: "billing", request: paid, reply, onMismatch })] });

    test("each outcome gets its own response, and the recorded status is the sent one", async () => {
      const { url, store } = await serveWith(byOutcome);
      const answers = [
        await send(url, { type: "paid", amount: 1 }, key),
        await send(url, { type: "paid", amount: 1 }, key),
        await send(url, {}),
      ];
      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [200, "On it"],
        [208, "Already on it"],
        [200, "No such command"],
      ]);
      expect(store.deliveries.map(({ outcome, responseStatus }) => `${outcome} ${responseStatus}`).sort()).toEqual([
        "accepted 200",
        "repeated 208",
        "skipped 200",
      ]);
    });

    test("an outcome that is not named gets the usual JSON", async () => {
      const { url } = await serveWith({ accepted: byOutcome.accepted });
      expect(await send(url, {})).toMatchObject({ status: 200, text: '{"ok":true,"skipped":true}' });
    });

    test("a repeat gets the response of the first request, unless it has its own", async () => {
      const accepted = await serveWith({ accepted: byOutcome.accepted });
      const held = await serveWith({ held: byOutcome.held }, "hold");
      for (const [{ url }, body, first] of [
        [accepted, { type: "paid", amount: 1 }, [200, "On it"]],
        [held, {}, [202, "Later"]],
      ] as const)
        for (const _ of [1, 2]) {
          const { status, text } = await send(url, body, key);
          expect([status, text]).toEqual(first);
        }
    });

    test("a rejection keeps its status and its code in the record, and has the body of `rejected`", async () => {
      const { url, store } = await serveWith(byOutcome, "reject");
      const mismatch = await send(url, {});
      expect([mismatch.status, mismatch.text, mismatch.headers.get("content-type")]).toEqual([422, "", null]);
      const malformed = await fetch(`${url}/triggers/billing`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{",
      });
      expect([malformed.status, await malformed.text()]).toEqual([400, ""]);
      expect(store.deliveries.map(({ problem }) => problem?.code).sort()).toEqual(["invalid_json", "request_mismatch"]);
    });

    test("`rejected` does not replace the response to a request without a key", async () => {
      const { url } = await serve({
        triggers: [triggerOf({ slug: "a", endpoint: "billing", request: paid, reply: byOutcome })],
        authenticate: async () => ({ ok: false }),
      });
      expect(JSON.parse((await send(url, {})).text)).toMatchObject({ code: "unauthorized" });
    });
  });
});
