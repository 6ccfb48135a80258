import { describe, expect, it } from "vitest";
import type { Window } from "../contract/traffic.ts";
import type { DeliveryFilterFields } from "../contract/filters.ts";
import { filterDeliveries } from "../deliveries/read-deliveries.ts";
import { newId } from "../domain/ids.ts";
import { withAgent } from "../http/rest/testing/agent-fixture.ts";
import { withApproval } from "../http/rest/testing/held-run.ts";
import {
  deliver,
  executeRuns,
  openTestService,
  paidBody,
  type TestService,
} from "../http/rest/testing/test-service.ts";
import { sendFromForm } from "../ingest/send-from-form.ts";
import { showActivity } from "./show-activity.ts";
import { showHistogram } from "./show-histogram.ts";
import { createTrafficReader } from "./traffic-reader.ts";

const minute = 60_000;
const notify = { kind: "workflow", slug: "notify" } as const;

/** At 10:00 one paid invoice and one that matches no trigger; at 11:00 a refund. */
async function openBusyService() {
  const service = await openTestService();
  await deliver(service, { endpoint: "billing", body: paidBody });
  await deliver(service, { endpoint: "billing", body: "{}" });
  await executeRuns(service);
  service.state.now += 60 * minute;
  await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
  return { ...service, traffic: createTrafficReader(service.store) };
}

describe("activity", () => {
  it("counts what came, passed and was stopped in the window, and how targets did", async () => {
    const service = await openBusyService();
    const { endpoints, triggers, routes, targets } = await showActivity(service, {
      window: "24h",
      endpoints: ["billing", "signup"],
      targets: [notify],
    });
    expect(endpoints.map(({ endpoint, outcomes, lastAt }) => ({ endpoint, outcomes, lastAt }))).toEqual([
      {
        endpoint: "billing",
        outcomes: { accepted: 2, skipped: 1, rejected: 0, repeated: 0, held: 0 },
        lastAt: "2026-11-21T11:00:00.000Z",
      },
      { endpoint: "signup", outcomes: { accepted: 0, skipped: 0, rejected: 0, repeated: 0, held: 0 }, lastAt: null },
    ]);
    expect(endpoints[0]?.buckets.slice(-2).map(({ at, count }) => [at, count])).toEqual([
      ["2026-11-21T10:00:00.000Z", 2],
      ["2026-11-21T11:00:00.000Z", 1],
    ]);
    expect(triggers).toEqual([
      {
        attachmentId: "invoice-paid:notify",
        matched: 1,
        headers_mismatch: 0,
        query_mismatch: 0,
        request_mismatch: 2,
        filter_mismatch: 0,
        disabled: 0,
      },
      {
        attachmentId: "invoice-paid:record-invoice",
        matched: 1,
        headers_mismatch: 0,
        query_mismatch: 0,
        request_mismatch: 2,
        filter_mismatch: 0,
        disabled: 0,
      },
      {
        attachmentId: "new-signup:welcome-email",
        matched: 0,
        headers_mismatch: 0,
        query_mismatch: 0,
        request_mismatch: 0,
        filter_mismatch: 0,
        disabled: 0,
      },
      {
        attachmentId: "refund:notify",
        matched: 1,
        headers_mismatch: 0,
        query_mismatch: 0,
        request_mismatch: 2,
        filter_mismatch: 0,
        disabled: 0,
      },
    ]);
    // One delivery passed by each of the two triggers, and one by none.
    expect(routes).toEqual([
      {
        endpoint: "billing",
        target: "notify",
        matched: 2,
        headers_mismatch: 0,
        query_mismatch: 0,
        request_mismatch: 1,
        filter_mismatch: 0,
        disabled: 0,
      },
    ]);
    expect(targets).toMatchObject([
      { target: notify, runs: 2, completed: 1, failed: 0, open: 1, lastRun: { status: "queued" } },
    ]);
  });

  it("counts exactly the deliveries that a list from `since` on shows, in every window", async () => {
    const service = await openBusyService();
    for (const window of ["15m", "1h", "24h", "7d"] as const) {
      const { since, endpoints } = await showActivity(service, { window, endpoints: ["billing"], targets: [] });
      const { data } = await service.store.listDeliveries(
        { endpoint: "billing", since: Date.parse(since) },
        { limit: 100, cursor: null },
      );
      const counted = endpoints[0]?.buckets.reduce((sum, { count }) => sum + count, 0);
      expect([window, counted]).toEqual([window, data.length]);
    }
  });
});

async function end(service: TestService, to: "completed" | "failed", times: number) {
  for (let at = 0; at < times; at += 1) {
    await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    await executeRuns(service, to === "completed" ? { to, output: null } : { to, error: null });
  }
}

async function healthOf(service: TestService) {
  return (
    await showActivity(
      { ...service, traffic: createTrafficReader(service.store) },
      { window: "1h", endpoints: [], targets: [notify] },
    )
  ).targets[0]?.health;
}

describe("how a target and an endpoint do", () => {
  it("is failing when more than half of the runs that ended failed, and never healthy when any did", async () => {
    const service = await openTestService();
    expect(await healthOf(service)).toBe("unknown");
    await end(service, "failed", 2);
    expect(await healthOf(service)).toBe("failing");
    await end(service, "completed", 2);
    expect(await healthOf(service)).toBe("degraded");
    const other = await openTestService();
    await end(other, "completed", 1);
    expect(await healthOf(other)).toBe("healthy");
  });

  it("is that runs wait for approval, however later runs ended", async () => {
    const service = await openTestService();
    const triage = { kind: "agent", slug: "triage" } as const;
    await withApproval(service);
    service.state.now += 1000;
    await service.store.createRuns([
      {
        id: newId("run", service.state.now),
        trigger: null,
        attachmentId: null,
        target: triage,
        deliveryId: null,
        startedBy: "form",
        replayOf: null,
        version: "v1",
        maxAttempts: 1,
        maxQueued: null,
        createdAt: service.state.now,
        payload: null,
        input: { prompt: "Hi" },
        keyId: null,
      },
    ]);
    await executeRuns(service);
    const { targets } = await showActivity(
      { ...service, traffic: createTrafficReader(service.store) },
      { window: "1h", endpoints: [], targets: [triage, notify] },
    );
    expect(targets).toMatchObject([
      { waitingForApproval: 1, lastRun: { status: "completed" }, runs: 2 },
      { waitingForApproval: 0 },
    ]);
  });

  it("is that a model answered the last run, although the current build has a script", async () => {
    const service = await openTestService();
    const run = await service.store.getRun(await withApproval(service));
    if (!run) throw new Error("The run is gone.");
    const current = service.project.current();
    const read = async ({ provider = "scripted-model", tokens = 25, version = current.manifest.version }) => {
      const sources = withAgent(current, { model: { provider, modelId: "one" } });
      const { targets } = await showActivity(
        {
          ...service,
          traffic: createTrafficReader(service.store),
          project: { current: () => sources },
          store: {
            listRuns: (...request) => service.store.listRuns(...request),
            summarizeTargets: async (request) =>
              (await service.store.summarizeTargets(request)).map((summary) => ({
                ...summary,
                lastRun: { ...run, tokens, version },
              })),
          },
        },
        { window: "1h", endpoints: [], targets: [run.target] },
      );
      return targets.map(({ hasModelBeyondBuild }) => hasModelBeyondBuild);
    };
    expect(await read({})).toEqual([true]);
    expect(await read({ tokens: 0 })).toEqual([false]);
    expect(await read({ version: "older" })).toEqual([false]);
    expect(await read({ provider: "openai.chat" })).toEqual([false]);
  });

  it("is failing for an endpoint that rejects most deliveries", async () => {
    const service = await openTestService();
    for (const text of ['{"name":""}', "{}"]) await sendFromForm(service.deps, { endpoint: "signup", text });
    const { endpoints } = await showActivity(
      { ...service, traffic: createTrafficReader(service.store) },
      { window: "1h", endpoints: ["signup", "billing"], targets: [] },
    );
    expect(endpoints).toMatchObject([{ health: "failing", outcomes: { rejected: 2 } }, { health: "unknown" }]);
  });
});

describe("activity, asked for again and again", () => {
  it("always equals the recorded deliveries as time advances", async () => {
    const service = await openBusyService();
    for (let at = 0; at < 40; at++) {
      service.state.now += (at % 7) * minute + 13_000;
      await deliver(service, { endpoint: at % 3 === 0 ? "signup" : "billing", body: paidBody });
      for (const window of ["15m", "1h", "24h"] as const) {
        const request = { window, endpoints: ["billing", "signup"], targets: [] };
        expect(await showActivity(service, request)).toEqual(
          await showActivity({ ...service, traffic: createTrafficReader(service.store) }, request),
        );
      }
    }
  });

  it("reads buckets that are over only once, and the last time only when something came", async () => {
    const service = await openBusyService();
    const asked: number[] = [];
    let lists = 0;
    const { countVerdicts, listDeliveries } = service.store;
    service.store.countVerdicts = (p) => (asked.push(p.until - p.since), countVerdicts(p));
    service.store.listDeliveries = (filter, page) => ((lists += 1), listDeliveries(filter, page));
    const ask = () => showActivity(service, { window: "1h", endpoints: ["billing", "signup"], targets: [] });
    await ask();
    expect([asked.length, lists]).toEqual([3, 2]);
    service.state.now += 1000;
    await ask();
    expect([asked.length, lists]).toEqual([4, 2]);
    expect(asked.at(-1)).toBeLessThanOrEqual(4 * minute);
    await deliver(service, { endpoint: "signup", body: "{}" });
    expect((await ask()).endpoints[1]?.lastAt).toBe("2026-11-21T11:00:01.000Z");
    expect(lists).toBe(3);
  });

  it("is read again after the store failed", async () => {
    const service = await openBusyService();
    const { countVerdicts } = service.store;
    service.store.countVerdicts = () => Promise.reject(new Error("busy"));
    const ask = () => showActivity(service, { window: "24h", endpoints: ["billing"], targets: [] });
    await expect(ask()).rejects.toThrow("busy");
    service.store.countVerdicts = countVerdicts;
    expect((await ask()).triggers[0]).toMatchObject({ matched: 1 });
  });
});

const histogram = (
  service: Awaited<ReturnType<typeof openTestService>>,
  { window, ...query }: DeliveryFilterFields & { window?: Window },
) => showHistogram(service, { window, filter: filterDeliveries(service.project.current(), query) });

describe("the histogram of deliveries", () => {
  it("has no gaps, and counts by outcome over all endpoints or one", async () => {
    const service = await openBusyService();
    await deliver(service, { endpoint: "signup", body: "{}" });
    const { since, until, bucketMs, buckets } = await histogram(service, { window: "24h" });
    expect(buckets.length * bucketMs).toBe(Date.parse(until) - Date.parse(since));
    expect(buckets.at(-1)).toEqual({ at: "2026-11-21T11:00:00.000Z", counts: { accepted: 1, skipped: 1 } });
    expect((await histogram(service, { window: "24h", endpoint: "billing" })).buckets.at(-1)?.counts).toEqual({
      accepted: 1,
    });
    const skipped = await histogram(service, { window: "24h", outcome: "skipped" });
    expect([skipped.kinds, skipped.buckets.at(-1)?.counts]).toEqual([["skipped"], { skipped: 1 }]);
  });

  it("covers a range of one's own", async () => {
    const service = await openBusyService();
    const { buckets } = await histogram(service, {
      since: "2026-11-21T09:55:00Z",
      until: "2026-11-21T10:05:00Z",
    });
    expect(buckets.filter(({ counts }) => counts.accepted)).toEqual([
      { at: "2026-11-21T10:00:00.000Z", counts: { accepted: 1, skipped: 1 } },
    ]);
    expect(buckets).toHaveLength(10);
  });

  it("counts what a trigger decided, each delivery once, however many targets it has", async () => {
    const service = await openBusyService();
    const paid = await histogram(service, { window: "24h", trigger: "invoice-paid" });
    expect(paid.kinds).toEqual([
      "matched",
      "filter_mismatch",
      "disabled",
      "request_mismatch",
      "query_mismatch",
      "headers_mismatch",
    ]);
    expect(paid.buckets.slice(-2).map(({ counts }) => counts)).toEqual([
      { matched: 1, request_mismatch: 1 },
      { request_mismatch: 1 },
    ]);
    const matched = await histogram(service, { window: "24h", trigger: "invoice-paid", verdict: "matched" });
    expect(matched.buckets.slice(-2).map(({ counts }) => counts)).toEqual([{ matched: 1 }, {}]);
    const elsewhere = await histogram(service, { window: "24h", trigger: "invoice-paid", endpoint: "signup" });
    expect(elsewhere.buckets.every(({ counts }) => Object.keys(counts).length === 0)).toBe(true);
  });

  it("is about the same deliveries as the list with the same filter", async () => {
    const service = await openBusyService();
    for (const filter of [
      {},
      { endpoint: "billing" },
      { outcome: "skipped" as const },
      { trigger: "refund" },
      { trigger: "refund", verdict: "stopped" as const },
      { trigger: "invoice-paid", verdict: "request_mismatch" as const },
    ]) {
      const { buckets, ignored } = await histogram(service, { window: "24h", ...filter });
      const { data } = await service.store.listDeliveries(filterDeliveries(service.project.current(), filter), {
        limit: 100,
        cursor: null,
      });
      const counted = buckets.flatMap(({ counts }) => Object.values(counts)).reduce((sum, count) => sum + count, 0);
      expect([filter, counted, ignored]).toEqual([filter, data.length, []]);
    }
  });

  it("reports the filters that it ignores", async () => {
    const service = await openBusyService();
    const ignoredOf = async (filter: DeliveryFilterFields) =>
      (await histogram(service, { window: "24h", ...filter })).ignored;
    expect(await ignoredOf({ text: "paid", status: 202 })).toEqual(["status", "text"]);
    expect(await ignoredOf({ trigger: "refund", outcome: "accepted" })).toEqual(["outcome"]);
    expect(await ignoredOf({ trigger: "gone" })).toEqual(["trigger"]);
    expect(await ignoredOf({ redeliveryOf: "dlv_1" })).toEqual(["redeliveryOf"]);
  });

  it("counts verdicts by the hour where those by the minute are no longer kept", async () => {
    const service = await openBusyService();
    service.state.now += 72 * 60 * minute;
    const range = { since: "2026-11-21T09:50:00Z", until: "2026-11-21T10:20:00Z" };
    const { bucketMs, buckets } = await histogram(service, { ...range, trigger: "refund" });
    expect([bucketMs, buckets.at(-1)]).toEqual([
      60 * minute,
      { at: "2026-11-21T10:00:00.000Z", counts: { request_mismatch: 2 } },
    ]);
  });

  it("rejects a range that ends before it begins", async () => {
    const service = await openTestService();
    await expect(histogram(service, { since: "2026-11-21", until: "2026-11-20" })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});
