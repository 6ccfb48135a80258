import { describe, expect, it } from "vitest";
import {
  deliverySchema,
  deliverySummarySchema,
  releaseBatchSchema,
  releasedDeliverySchema,
} from "../../../contract/delivery.ts";
import type { Json } from "../../../contract/json.ts";
import { pageSchema } from "../../../contract/list.ts";
import { runSchema } from "../../../contract/run.ts";
import { newId } from "../../../domain/ids.ts";
import { projectFixture } from "../testing/project-fixture.ts";
import { type TestService, deliver, openTestService, paidBody } from "../testing/test-service.ts";

const page = pageSchema(deliverySummarySchema);
const getDelivery = async (service: TestService, id: string) =>
  deliverySchema.parse((await service.get(`/api/v1/deliveries/${id}`)).json);

/** The ids on all pages: a page is short, or empty, when its search has taken its time. */
async function findAll(service: TestService, query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const { data, nextCursor } = page.parse(
      (await service.get(`/api/v1/deliveries?${query}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`)).json,
    );
    ids.push(...data.map(({ id }) => id));
    cursor = nextCursor;
  } while (cursor);
  return ids;
}

describe("GET /api/v1/deliveries", () => {
  it("lists deliveries newest first, page by page, each once and without its body", async () => {
    const service = await openTestService();
    const made: string[] = [];
    for (let at = 0; at < 5; at++) {
      service.state.now += 1000;
      made.unshift((await deliver(service, { endpoint: "billing", body: '{ "canary": 1 }' })).deliveryId);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const answer = await service.get(
        `/api/v1/deliveries?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
      );
      expect(answer.text).not.toContain("canary");
      const { data, nextCursor } = page.parse(answer.json);
      seen.push(...data.map(({ id }) => id));
      cursor = nextCursor;
    } while (cursor);
    expect(seen).toEqual(made);
  });

  it("finds deliveries by endpoint, outcome, status and time", async () => {
    const service = await openTestService();
    await deliver(service, { endpoint: "billing", body: paidBody });
    service.state.now += 60_000;
    await deliver(service, { endpoint: "billing", body: "{}" });
    const count = async (query: string) => (await findAll(service, query)).length;
    expect(await count("endpoint=billing")).toBe(2);
    expect(await count("endpoint=signup")).toBe(0);
    expect(await count("outcome=skipped")).toBe(1);
    expect(await count("status=202")).toBe(1);
    expect(await count("since=2026-11-21T10:00:30Z")).toBe(1);
    expect(await count("until=2026-11-21T10:00:30Z")).toBe(1);
    expect(await count("text=INVOICE.paid")).toBe(1);
  });

  it("finds deliveries by the verdict of a trigger, and redeliveries by the first one", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    const again = deliverySchema.parse(
      (await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`, { trigger: "refund" })).json,
    );
    const find = (query: string) => findAll(service, query);
    expect(await find("trigger=invoice-paid&verdict=matched")).toEqual([deliveryId]);
    expect(await find("trigger=refund&verdict=stopped")).toEqual([again.id, deliveryId]);
    expect(await find("trigger=refund")).toHaveLength(3);
    expect(await find(`redeliveryOf=${deliveryId}`)).toEqual([again.id]);
    expect((await service.get("/api/v1/deliveries?verdict=matched")).json).toMatchObject({
      code: "invalid_request",
      detail: expect.stringContaining("trigger"),
    });
  });
});

describe("GET /api/v1/deliveries/{id}", () => {
  it("shows the body as its bytes and as JSON", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    const delivery = await getDelivery(service, deliveryId);
    expect(Buffer.from(delivery.body ?? "", "base64").toString()).toBe(paidBody);
    expect(delivery.json).toEqual({ type: "invoice.paid", amount: 12.5 });
    expect((await service.get(`/api/v1/deliveries/${deliveryId}`)).json).toMatchObject({ evaluated: null });
  });
});

describe("GET /api/v1/deliveries/{id}/files/{number}", () => {
  it("downloads a file of a multipart body, byte for byte", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    const body = Buffer.concat([
      Buffer.from('--XX\r\nContent-Disposition: form-data; name="f"; filename="a \u00fc.png"\r\n\r\n'),
      Buffer.from([0, 255]),
      Buffer.from("\r\n--XX--\r\n"),
    ]);
    await service.store.recordDelivery({
      id: "dlv_00000000000000000000000001",
      endpoint: "billing",
      receivedAt: service.state.now,
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=XX" },
      body,
      bodyBytes: body.length,
      bodySha256: null,
      outcome: "skipped",
      responseStatus: 200,
      problem: null,
      verdicts: [],
      unlistedVerdicts: [],
      durationMs: 1,
      keyId: null,
      redeliveryOf: null,
    });
    const delivery = await service.get("/api/v1/deliveries/dlv_00000000000000000000000001");
    expect(delivery.json).toMatchObject({
      json: null,
      evaluated: { format: "multipart", text: expect.stringContaining('"filename":"a \u00fc.png"') },
    });
    const path = "/api/v1/deliveries/dlv_00000000000000000000000001/files";
    const response = await service.app.fetch(new Request(`http://localhost:3002${path}/0`));
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''a%20%C3%BC.png");
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 255]));
    expect((await service.get(`${path}/1`)).status).toBe(404);
    expect((await service.get(`/api/v1/deliveries/${deliveryId}/files/0`)).status).toBe(404);
  });
});

describe("POST /api/v1/deliveries/{id}/redeliver", () => {
  it("delivers the same bytes again, as a new delivery with new runs", async () => {
    const service = await openTestService();
    const { deliveryId, runs } = await deliver(service, {
      endpoint: "billing",
      body: paidBody,
      headers: { "content-type": "application/json", "x-event": "7" },
    });
    service.state.now += 1000;
    const answer = await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`);
    expect(answer.status).toBe(202);
    const again = deliverySchema.parse(answer.json);
    const old = await getDelivery(service, deliveryId);

    expect(again.id).not.toBe(deliveryId);
    expect(answer.headers.get("location")).toBe(`/api/v1/deliveries/${again.id}`);
    expect(again).toMatchObject({
      body: old.body,
      bodySha256: old.bodySha256,
      bodyBytes: old.bodyBytes,
      endpoint: "billing",
      outcome: "accepted",
      responseStatus: 202,
    });
    expect(again.headers).toEqual({
      "content-type": "application/json",
      "x-event": "7",
      "signalbox-redelivery-of": deliveryId,
    });
    const started = again.verdicts.flatMap(({ runId }) => (runId ? [runId] : []));
    expect(started).toHaveLength(2);
    expect(started).not.toContain(runs[0]?.id);
    for (const id of started) {
      expect(runSchema.parse((await service.get(`/api/v1/runs/${id}`)).json)).toMatchObject({
        deliveryId: again.id,
        startedBy: "api",
        status: "queued",
      });
    }
    expect(service.state.queued).toBe(1);
  });

  it("delivers to one trigger only, if the request names it", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    const again = deliverySchema.parse(
      (await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`, { trigger: "refund" })).json,
    );
    expect(again.verdicts.map(({ trigger, outcome }) => [trigger, outcome])).toEqual([["refund", "matched"]]);
  });

  it("starts new runs each time", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    const redeliver = async () =>
      deliverySchema
        .parse((await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`)).json)
        .verdicts.flatMap(({ runId }) => runId ?? []);
    const started = [...(await redeliver()), ...(await redeliver())];
    expect(new Set(started).size).toBe(2);
    for (const id of started) expect((await service.get(`/api/v1/runs/${id}`)).status).toBe(200);
  });

  it("evaluates the current triggers", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    service.state.sources = projectFixture({ triggers: ["invoice-paid"] });
    const again = deliverySchema.parse((await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`)).json);
    expect(again).toMatchObject({ outcome: "rejected", responseStatus: 422, problem: { code: "request_mismatch" } });
    expect(service.state.queued).toBe(0);
  });

  it("is skipped if no trigger of a shared endpoint matches", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: "{}" });
    const again = deliverySchema.parse((await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`)).json);
    expect(again).toMatchObject({ outcome: "skipped", responseStatus: 200, problem: null });
  });

  it.each<[string, string | undefined]>([
    ["its endpoint has no triggers any more", undefined],
    ["the trigger asked for is not on its endpoint", "new-signup"],
  ])("is rejected if %s", async (_, trigger) => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    if (trigger === undefined) service.state.sources = projectFixture({ triggers: ["invoice-paid", "refund"] });
    const answer = await service.post(
      `/api/v1/deliveries/${deliveryId}/redeliver`,
      trigger === undefined ? undefined : { trigger },
    );
    expect([answer.status, answer.text.includes("not_replayable")]).toEqual([409, true]);
  });

  it.each<[string, Uint8Array | null]>([
    ["is not kept", null],
    ["is not JSON", Buffer.from("{")],
    ["is not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["is nested too deep", Buffer.from("[".repeat(600) + "]".repeat(600))],
  ])("is rejected if its body %s", async (_, body) => {
    const service = await openTestService();
    await service.store.recordDelivery({
      id: "dlv_bad",
      endpoint: "billing",
      receivedAt: service.state.now,
      method: "POST",
      headers: {},
      body,
      bodyBytes: body?.length ?? 5_000_000,
      bodySha256: null,
      outcome: "rejected",
      responseStatus: 400,
      problem: null,
      verdicts: [],
      unlistedVerdicts: [],
      durationMs: 1,
      keyId: null,
      redeliveryOf: null,
    });
    const answer = await service.post("/api/v1/deliveries/dlv_bad/redeliver");
    expect([answer.status, answer.text.includes("not_replayable")]).toEqual([409, true]);
  });
});

/** A held delivery, as the receiver would have recorded it before `refund` was deployed. */
async function hold(service: TestService, body: string): Promise<string> {
  const { deliveryId } = await deliver(service, { endpoint: "billing", body: "{}" });
  const stored = await service.store.getDelivery(deliveryId);
  if (!stored) throw new Error("The delivery is not stored");
  const { json: _, body: __, receivedAt: ___, ...rest } = stored;
  const id = newId("dlv", service.state.now);
  const bytes = Buffer.from(body);
  await service.store.acceptDelivery({
    delivery: { ...rest, id, outcome: "held", body: bytes, receivedAt: service.state.now, keyId: null },
    runs: [],
    idempotency: null,
  });
  return id;
}

const releases = async (service: TestService) =>
  (await service.store.listAudit({}, { limit: 10, cursor: null })).data
    .filter(({ action }) => action === "delivery.released")
    .map(({ subject, detail }) => ({ subject, detail }));

describe("POST /api/v1/deliveries/{id}/release", () => {
  it("starts the runs of a held delivery once, and says so afterwards", async () => {
    const service = await openTestService();
    const id = await hold(service, '{ "type": "refund" }');
    const path = `/api/v1/deliveries/${id}/release`;
    expect((await service.post(path, { dryRun: true })).json).toMatchObject({
      result: "released",
      runs: [{ runId: null, trigger: "refund" }],
    });
    expect(await getDelivery(service, id)).toMatchObject({ outcome: "held" });
    const released = releasedDeliverySchema.parse((await service.post(path)).json);
    expect(released).toMatchObject({ id, endpoint: "billing", result: "released", message: null });
    const [run] = released.runs;
    expect(runSchema.parse((await service.get(`/api/v1/runs/${run?.runId}`)).json)).toMatchObject({
      deliveryId: id,
      status: "queued",
      startedBy: "api",
    });
    expect((await service.post(path)).json).toEqual({ ...released, result: "already_released" });
    expect(await releases(service)).toEqual([{ subject: id, detail: { runs: [run?.runId] } }]);
    expect((await service.post(path, { dryrun: true })).status).toBe(422);
  });

  it("rejects a delivery that was never held, and an unknown one", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    const answer = await service.post(`/api/v1/deliveries/${deliveryId}/release`);
    expect([answer.status, answer.json]).toMatchObject([409, { code: "not_replayable" }]);
    expect((await service.post("/api/v1/deliveries/dlv_unknown/release")).status).toBe(404);
    expect(await releases(service)).toEqual([]);
  });
});

describe("POST /api/v1/deliveries/release", () => {
  it("releases held deliveries by their ids, by a filter, or all, and records what was released", async () => {
    const service = await openTestService();
    const hours: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      hours.push(await hold(service, n === 3 ? "{}" : '{ "type": "refund" }'));
      service.state.now += 3_600_000;
    }
    const release = async (body: Json) => {
      const { status, json } = await service.post("/api/v1/deliveries/release", body);
      expect(status).toBe(200);
      const { data, ...rest } = releaseBatchSchema.parse(json);
      return { ...rest, data: data.map(({ id, result }) => [id, result]) };
    };
    const [first = "", second = "", third = "", last = ""] = hours;
    expect(await release({ all: true, dryRun: true })).toMatchObject({ released: 3 });
    expect(await release({ ids: [second] })).toEqual({ released: 1, nextCursor: null, data: [[second, "released"]] });
    expect(await release({ endpoint: "billing", until: "2026-11-21T10:30:00Z" })).toMatchObject({
      data: [[first, "released"]],
    });
    expect(await release({ endpoint: "signup" })).toMatchObject({ released: 0, data: [] });
    expect(await release({ all: true })).toMatchObject({
      released: 1,
      data: [
        [third, "released"],
        [last, "held"],
      ],
    });
    expect((await releases(service)).map(({ detail }) => detail)).toEqual(
      [third, first, second].map((id) => ({ released: 1, ids: [id] })),
    );
  });

  it.each<Json>([{}, { ids: [] }, { ids: ["dlv_1"], endpoint: "billing" }, { all: false }, { since: "soon" }])(
    "rejects %j: a request that selects nothing never releases everything",
    async (body) => {
      const service = await openTestService();
      const id = await hold(service, '{ "type": "refund" }');
      expect(await service.post("/api/v1/deliveries/release", body)).toMatchObject({ status: 422 });
      expect(await getDelivery(service, id)).toMatchObject({ outcome: "held" });
    },
  );
});

describe("GET /api/v1/deliveries/{id}/verdicts", () => {
  it("evaluates a delivery by the current triggers, or by one, and starts nothing", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    const path = `/api/v1/deliveries/${deliveryId}/verdicts`;
    expect((await service.get(path)).json).toMatchObject({
      verdicts: [
        { trigger: "invoice-paid", outcome: "request_mismatch" },
        { trigger: "invoice-paid", outcome: "request_mismatch" },
        { trigger: "refund", outcome: "matched", runId: null },
      ],
    });
    expect((await service.get(`${path}?trigger=refund`)).json).toMatchObject({ verdicts: [{ trigger: "refund" }] });
    expect(service.state.queued).toBe(0);
  });
});
