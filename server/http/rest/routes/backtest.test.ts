import { describe, expect, it } from "vitest";
import { backtestSchema, recordedDeliverySchema } from "../../../contract/backtest.ts";
import { projectFixture } from "../testing/project-fixture.ts";
import { bearer, deliver, makeKey, openTestService, paidBody, type TestService } from "../testing/test-service.ts";

const signup = '{ "name": "Ada", "email": "ada@example.com" }';

async function exported(service: TestService, query = "") {
  const answer = await service.get(`/api/v1/deliveries/export${query}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/jsonl"]);
  return answer.text
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [recordedDeliverySchema.strict().parse(JSON.parse(line))]));
}

describe("GET /api/v1/deliveries/export", () => {
  it("returns every delivery of the filter with its body, byte for byte, newest first", async () => {
    const service = await openTestService();
    const ids: string[] = [];
    for (let at = 0; at < 205; at++) {
      service.state.now += 1000;
      ids.unshift((await deliver(service, { endpoint: "billing", body: paidBody })).deliveryId);
    }
    await deliver(service, { endpoint: "signup", body: signup });
    const lines = await exported(service, "?endpoint=billing");
    expect(lines.map(({ id }) => id)).toEqual(ids);
    expect(Buffer.from(lines[0]?.body ?? "", "base64").toString()).toBe(paidBody);
    expect(lines[0]?.verdicts).toHaveLength(3);
    expect(await exported(service)).toHaveLength(206);
    expect(await exported(service, "?since=2026-11-21T10:03:25Z")).toHaveLength(2);
    expect(await exported(service, "?endpoint=nowhere")).toEqual([]);
  });

  it("has null for a body that is not stored, and the whole body if it is larger than a portion", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    const stored = (await service.store.listDeliveries({}, { limit: 1, cursor: null })).data[0];
    if (!stored) throw new Error("nothing was recorded");
    const large = Buffer.alloc(5 * 1024 * 1024, "x");
    for (const [number, body] of [null, large].entries())
      await service.store.recordDelivery({
        ...stored,
        id: `dlv_0000000000000000000000000${number}`,
        receivedAt: service.state.now - 1000 * (number + 1),
        body,
        bodyBytes: large.length,
        keyId: null,
      });
    const lines = await exported(service);
    expect(lines.map(({ id, body }) => [id, body?.length ?? null])).toEqual([
      [deliveryId, Buffer.from(paidBody).toString("base64").length],
      ["dlv_00000000000000000000000000", null],
      ["dlv_00000000000000000000000001", large.toString("base64").length],
    ]);
  });

  it("rejects an unknown filter with a problem, and is not for webhook keys", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api", scope: "read" });
    const key = await makeKey(service, { kind: "webhook" });
    const path = "/api/v1/deliveries/export";
    expect((await service.get(`${path}?endpont=x`, bearer(token.secret))).json).toMatchObject({
      code: "invalid_request",
    });
    expect((await service.get(path, bearer(token.secret))).status).toBe(200);
    expect((await service.get(path, bearer(key.secret))).status).toBe(403);
  });
});

const read = async (service: TestService, query = "") =>
  backtestSchema.strict().parse((await service.get(`/api/v1/backtest${query}`)).json);

describe("GET /api/v1/backtest", () => {
  it("reports no difference for the build that evaluated the deliveries, and starts nothing", async () => {
    const service = await openTestService();
    await deliver(service, { endpoint: "billing", body: paidBody });
    await deliver(service, { endpoint: "signup", body: signup });
    await deliver(service, { endpoint: "signup", body: "{}" });
    expect(await read(service)).toMatchObject({
      version: "v-test",
      since: "2026-11-14T10:00:00.000Z",
      until: "2026-11-21T10:00:00.000Z",
      compared: 3,
      isComplete: true,
      gained: 0,
      lost: 0,
      triggers: [],
      notCompared: [],
    });
    expect(service.state.queued).toBe(0);
    expect((await service.store.listDeliveries({}, { limit: 10, cursor: null })).data).toHaveLength(3);
  });

  it("lists the firings that the current build removes, with the runs that they started", async () => {
    const service = await openTestService();
    const { deliveryId, runs } = await deliver(service, { endpoint: "billing", body: paidBody });
    await deliver(service, { endpoint: "signup", body: signup });
    service.state.sources = projectFixture({ triggers: ["invoice-paid", "new-signup"] });
    const result = await read(service, "?endpoint=billing");
    expect(result).toMatchObject({ endpoint: "billing", compared: 1, gained: 0, lost: 2 });
    expect(result.triggers.map(({ attachmentId }) => attachmentId)).toEqual([
      "invoice-paid:notify",
      "invoice-paid:record-invoice",
    ]);
    expect(result.triggers[0]?.changes).toEqual([
      {
        change: "lost",
        deliveryId,
        endpoint: "billing",
        receivedAt: "2026-11-21T10:00:00.000Z",
        outcome: "absent",
        reasons: [],
        runId: runs.find(({ attachmentId }) => attachmentId === "invoice-paid:notify")?.id,
      },
    ]);
    expect(await read(service)).toMatchObject({ compared: 2, lost: 3 });
  });

  it("compares with a build that this machine keeps, before a rollback", async () => {
    const service = await openTestService();
    await deliver(service, { endpoint: "signup", body: signup });
    const older = projectFixture({ triggers: ["new-signup"] });
    service.state.builds.push({ ...older.manifest, version: "v-older" });
    service.state.sourcesOfBuilds.set("v-older", older);
    expect(await read(service, "?build=v-older")).toMatchObject({ version: "v-older", compared: 1, lost: 1 });
    expect(await read(service)).toMatchObject({ version: "v-test", lost: 0 });
    expect((await service.get("/api/v1/backtest?build=v-oldr")).json).toMatchObject({
      code: "not_found",
      detail: 'This machine has no build "v-oldr". Did you mean "v-older"?',
    });
  });

  it("compares a trigger on its endpoint, within the period", async () => {
    const service = await openTestService();
    await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    service.state.now += 60_000;
    await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    await deliver(service, { endpoint: "signup", body: signup });
    expect(await read(service, "?trigger=refund")).toMatchObject({
      trigger: "refund",
      endpoint: "billing",
      compared: 2,
    });
    expect(await read(service, "?trigger=refund&since=2026-11-21T10:00:30Z")).toMatchObject({ compared: 1 });
    expect((await service.get("/api/v1/backtest?trigger=refnd")).json).toMatchObject({
      code: "not_found",
      detail: 'There is no trigger "refnd" in this project. Did you mean "refund"?',
    });
  });

  it("stops at the newest 20,000 deliveries, and says that it is not complete", async () => {
    const service = await openTestService();
    await deliver(service, { endpoint: "signup", body: signup });
    const [stored] = (await service.store.listDeliveries({}, { limit: 1, cursor: null })).data;
    if (!stored) throw new Error("nothing was recorded");
    // The same page again and again, as a very long list would be.
    service.originals.listDeliveries = async () => ({
      data: Array.from({ length: 100 }, () => stored),
      nextCursor: "next",
    });
    expect(await read(service)).toMatchObject({ compared: 20_000, isComplete: false, gained: 0, lost: 0 });
  });
});
