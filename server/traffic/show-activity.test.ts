import { describe, expect, it } from "vitest";
import { deliver, executeRuns, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { showActivity } from "./show-activity.ts";
import { showHistogram } from "./show-histogram.ts";

const minute = 60_000;
const notify = { kind: "workflow", slug: "notify" } as const;

/** At 10:00 one paid invoice and one that nobody knows; at 11:00 a refund. */
async function openBusyService() {
  const service = await openTestService();
  await deliver(service, { endpoint: "billing", body: paidBody });
  await deliver(service, { endpoint: "billing", body: "{}" });
  await executeRuns(service);
  service.state.now += 60 * minute;
  await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
  return service;
}

describe("activity", () => {
  it("counts what came, passed and was stopped in the window, and how targets did", async () => {
    const service = await openBusyService();
    const { endpoints, triggers, targets } = await showActivity(service, { window: "24h", endpoints: ["billing", "signup"], targets: [notify] });
    expect(endpoints.map(({ endpoint, outcomes, lastAt }) => ({ endpoint, outcomes, lastAt }))).toEqual([
      { endpoint: "billing", outcomes: { accepted: 2, skipped: 1, rejected: 0, repeated: 0 }, lastAt: "2026-11-21T11:00:00.000Z" },
      { endpoint: "signup", outcomes: { accepted: 0, skipped: 0, rejected: 0, repeated: 0 }, lastAt: null },
    ]);
    expect(endpoints[0]?.buckets.slice(-2).map(({ at, count }) => [at, count])).toEqual([
      ["2026-11-21T10:00:00.000Z", 2],
      ["2026-11-21T11:00:00.000Z", 1],
    ]);
    expect(triggers).toEqual([
      { attachmentId: "invoice-paid:notify", matched: 1, request_mismatch: 2, filter_mismatch: 0, disabled: 0 },
      { attachmentId: "invoice-paid:record-invoice", matched: 1, request_mismatch: 2, filter_mismatch: 0, disabled: 0 },
      { attachmentId: "new-signup:welcome-email", matched: 0, request_mismatch: 0, filter_mismatch: 0, disabled: 0 },
      { attachmentId: "refund:notify", matched: 1, request_mismatch: 2, filter_mismatch: 0, disabled: 0 },
    ]);
    expect(targets).toMatchObject([{ target: notify, runs: 2, completed: 1, failed: 0, open: 1, lastRun: { status: "queued" } }]);
  });

  it("counts exactly the deliveries that a list from `since` on shows, in every window", async () => {
    const service = await openBusyService();
    for (const window of ["15m", "1h", "24h", "7d"] as const) {
      const { since, endpoints } = await showActivity(service, { window, endpoints: ["billing"], targets: [] });
      const { data } = await service.store.listDeliveries({ endpoint: "billing", since: Date.parse(since) }, { limit: 100, cursor: null });
      const counted = endpoints[0]?.buckets.reduce((sum, { count }) => sum + count, 0);
      expect([window, counted]).toEqual([window, data.length]);
    }
  });
});

describe("the histogram of deliveries", () => {
  it("has no gaps, and counts by outcome over all endpoints or one", async () => {
    const service = await openBusyService();
    await deliver(service, { endpoint: "signup", body: "{}" });
    const { since, until, bucketMs, buckets } = await showHistogram(service, { window: "24h" });
    expect(buckets.length * bucketMs).toBe(Date.parse(until) - Date.parse(since));
    expect(buckets.at(-1)).toEqual({ at: "2026-11-21T11:00:00.000Z", accepted: 1, skipped: 1, rejected: 0, repeated: 0 });
    expect((await showHistogram(service, { window: "24h", endpoint: "billing" })).buckets.at(-1)).toMatchObject({ accepted: 1, skipped: 0 });
  });

  it("covers a range of one's own", async () => {
    const service = await openBusyService();
    const { buckets } = await showHistogram(service, { since: Date.parse("2026-11-21T09:55:00Z"), until: Date.parse("2026-11-21T10:05:00Z") });
    expect(buckets.filter(({ accepted }) => accepted > 0)).toEqual([{ at: "2026-11-21T10:00:00.000Z", accepted: 1, skipped: 1, rejected: 0, repeated: 0 }]);
    expect(buckets).toHaveLength(10);
  });

  it("refuses a range that ends before it begins", async () => {
    const service = await openTestService();
    await expect(showHistogram(service, { since: 10, until: 5 })).rejects.toMatchObject({ code: "invalid_request" });
  });
});
