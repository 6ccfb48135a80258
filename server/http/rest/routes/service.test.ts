import { describe, expect, it, vi } from "vitest";
import { AppError } from "../../../contract/app-error.ts";
import { openApiDocument } from "../rest-app.ts";
import { deliver, openTestService, paidBody } from "../testing/test-service.ts";

const seen = (now: number) => ({ id: "wrk_1", pid: 1, host: "here", version: "v", startedAt: now, seenAt: now });

describe("GET /readyz", () => {
  it("reports ready while the store answers and a worker was seen in the last 15 seconds", async () => {
    const service = await openTestService({ mode: "deployed" });
    await service.store.heartbeatWorker(seen(service.state.now));
    service.state.now += 14_000;
    expect([(await service.get("/readyz")).status, (await service.get("/readyz")).json]).toEqual([
      200,
      { ok: true, reasons: [], warnings: [] },
    ]);
    service.state.now += 2_000;
    expect([(await service.get("/readyz")).status, (await service.get("/readyz")).json]).toEqual([
      503,
      { ok: false, reasons: ["No worker has reported in the last 15 seconds."], warnings: [] },
    ]);
  });

  it("reports not ready while the store does not respond, without the reason for anonymous clients", async () => {
    const service = await openTestService({ mode: "deployed" });
    service.store.ping = () => Promise.reject(new Error("canary of the inside"));
    const answer = await service.get("/readyz");
    expect([answer.status, answer.json]).toEqual([
      503,
      { ok: false, reasons: ["Cannot write to the store."], warnings: [] },
    ]);
  });

  it("reports why the store cannot be written, and logs it once, regardless of the number of requests", async () => {
    const service = await openTestService({ mode: "deployed" });
    service.store.ping = () => Promise.reject(new AppError("store_unavailable", "The disk of the database is full."));
    for (let time = 0; time < 10; time += 1) {
      service.state.now += 1_000;
      expect((await service.get("/readyz")).json).toEqual({
        ok: false,
        reasons: ["Cannot write to the store. The disk of the database is full."],
        warnings: [],
      });
    }
    expect(service.state.log.filter((line) => line.includes("store not responding"))).toHaveLength(1);
  });

  it("pings the store once a second, regardless of the number of requests", async () => {
    const service = await openTestService({ mode: "deployed" });
    const ping = vi.fn<() => Promise<void>>(() => Promise.resolve());
    service.store.ping = ping;
    for (const wait of [0, 500, 499, 1]) {
      service.state.now += wait;
      await service.get("/readyz");
    }
    expect(ping).toHaveBeenCalledTimes(2);
  });

  it("reports not ready while the service shuts down, although it is alive", async () => {
    const service = await openTestService();
    await service.store.heartbeatWorker(seen(service.state.now));
    service.stop();
    expect((await service.get("/readyz")).status).toBe(503);
    expect((await service.get("/healthz")).status).toBe(200);
  });
});

describe("GET /metrics", () => {
  it("counts deliveries by outcome and status, and the runs that they started", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    const delivery = await service.store.getDelivery(deliveryId);
    if (!delivery) throw new Error("no delivery");
    service.metrics.observeReceiver({ type: "delivery", delivery, tookMs: 1 });
    service.metrics.observeReceiver({ type: "delivery", delivery: { ...delivery, outcome: "repeated" }, tookMs: 1 });
    service.metrics.observeReceiver({ type: "unrecorded", code: "rate_limited" });
    const { text, headers } = await service.get("/metrics");
    expect(headers.get("content-type")).toContain("text/plain; version=0.0.4");
    for (const line of [
      'signalbox_deliveries_total{endpoint="billing",outcome="accepted",status="202"} 1',
      'signalbox_deliveries_total{endpoint="billing",outcome="repeated",status="202"} 1',
      'signalbox_delivered_runs_total{trigger="invoice-paid"} 2',
      'signalbox_delivery_duration_seconds_count{outcome="accepted"} 1',
      'signalbox_unrecorded_total{code="rate_limited"} 1',
      'signalbox_open_runs{status="queued"} 2',
      'signalbox_open_runs{status="running"} 0',
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toContain("process_cpu_seconds_total");
  });

  it("has numbers separate from those of another service in this process", async () => {
    const [one, other] = [await openTestService(), await openTestService()];
    one.metrics.observeReceiver({ type: "unauthenticated" });
    expect((await one.get("/metrics")).text).toContain('signalbox_unauthenticated_total{interface="webhook"} 1');
    expect((await other.get("/metrics")).text).not.toContain('signalbox_unauthenticated_total{interface="webhook"}');
  });
});

describe("GET /api/v1/openapi.json", () => {
  it("is the document, for anonymous clients, too", async () => {
    const service = await openTestService({ mode: "deployed" });
    expect((await service.get("/api/v1/openapi.json")).json).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });
});

describe("HEAD", () => {
  it("is answered like GET, without a body", async () => {
    const service = await openTestService();
    const answer = await service.app.fetch(new Request("http://localhost:3002/api/v1/runs", { method: "HEAD" }));
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
  });
});
