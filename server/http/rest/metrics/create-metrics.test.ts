import { expect, it } from "vitest";
import type { DeliverySummary } from "../../../contract/delivery.ts";
import { createDeliveryTally, type StoreNumbers } from "../../../domain/tallies.ts";
import { createMetrics, readSeldom } from "./create-metrics.ts";

const target = { kind: "workflow" as const, slug: "work" };
const verdict = (trigger: string, outcome: "matched" | "request_mismatch" | "filter_mismatch") => ({
  trigger,
  attachmentId: `${trigger}:work`,
  target,
  outcome,
  runId: null,
  reasons: [],
});
const delivery: DeliverySummary = {
  id: "dlv_1",
  endpoint: "billing",
  receivedAt: "2026-11-21T10:00:00.000Z",
  method: "POST",
  headers: {},
  bodyBytes: 2,
  bodySha256: null,
  outcome: "accepted",
  responseStatus: 202,
  problem: null,
  verdicts: [],
  unlistedVerdicts: [],
  durationMs: 2,
  redeliveryOf: null,
};
const empty = { counts: [0], sum: 0 };
const storeNumbers: StoreNumbers = {
  waitingWrites: 7,
  failedWrites: 0,
  commitWrites: empty,
  commitDurations: empty,
  writeWaits: empty,
  fileBytes: { database: 4096, log: 0 },
};

function metricsOver(
  store: Partial<Parameters<typeof createMetrics>[0]["store"]> = {},
  more: Partial<Parameters<typeof createMetrics>[0]> = {},
) {
  const metrics = createMetrics({
    store: {
      countHeld: async () => 3,
      countOpenRuns: async () => ({ queued: 1, running: 0, waiting: 0 }),
      numbers: async () => storeNumbers,
      ...store,
    },
    isDeclared: (endpoint) => endpoint === "billing",
    readWork: async () => ({ due: [], blocked: [] }),
    ...more,
  });
  return { metrics, lines: async () => (await metrics.render()).text.split("\n") };
}

it("the metrics have one name for all endpoints that callers invent", async () => {
  const { metrics, lines } = metricsOver();
  for (let n = 0; n < 1_000; n += 1)
    metrics.observeReceiver({
      type: "delivery",
      delivery: { ...delivery, endpoint: `invented-${n}`, outcome: "rejected", responseStatus: 404 },
      tookMs: 1,
    });
  const counted = (await lines()).filter((line) => line.startsWith("signalbox_deliveries_total{"));
  expect(counted).toEqual(['signalbox_deliveries_total{endpoint="_other",outcome="rejected",status="404"} 1000']);
});

it("counts the verdicts that a delivery lists, and those that it only counts", async () => {
  const { metrics, lines } = metricsOver();
  const verdicts = [verdict("b", "filter_mismatch"), verdict("c", "matched")];
  const unlistedVerdicts = [
    { outcome: "request_mismatch" as const, pointer: "/type", actual: null, count: 990 },
    { outcome: "filter_mismatch" as const, pointer: null, actual: null, count: 8 },
  ];
  for (let n = 0; n < 3; n += 1)
    metrics.observeReceiver({ type: "delivery", delivery: { ...delivery, verdicts, unlistedVerdicts }, tookMs: 1 });
  const text = await lines();
  for (const [outcome, count] of [
    ["matched", 3],
    ["request_mismatch", 2970],
    ["filter_mismatch", 27],
    ["disabled", 0],
  ]) {
    expect(text).toContain(`signalbox_verdicts_total{endpoint="billing",outcome="${outcome}"} ${count}`);
  }
  expect(text).toContain('signalbox_delivered_runs_total{trigger="c"} 3');
});

it("buckets of a histogram count the values below their bound, and the last counts all", async () => {
  const { metrics, lines } = metricsOver();
  for (const tookMs of [1, 2, 5_000]) metrics.observeReceiver({ type: "delivery", delivery, tookMs });
  const text = await lines();
  for (const [le, count] of [
    ["0.001", 1],
    ["0.0025", 2],
    ["2.5", 2],
    ["+Inf", 3],
  ])
    expect(text).toContain(`signalbox_delivery_duration_seconds_bucket{outcome="accepted",le="${le}"} ${count}`);
  expect(text).toContain('signalbox_delivery_duration_seconds_count{outcome="accepted"} 3');
});

it("a store that does not answer hides only its own numbers", async () => {
  const { metrics, lines } = metricsOver({
    countHeld: () => Promise.reject(new Error("locked")),
    countOpenRuns: () => Promise.reject(new Error("locked")),
    numbers: () => Promise.reject(new Error("locked")),
  });
  metrics.observeReceiver({ type: "rejected", code: "store_unavailable" });
  const text = await lines();
  expect(text).toContain('signalbox_rejections_total{code="store_unavailable"} 1');
  expect(text.filter((line) => /^signalbox_(open_runs|held_|store_)/.test(line))).toEqual([]);
});

it("slow reads are throttled to a hundredth of the time", async () => {
  let [now, reads] = [0, 0];
  const read = readSeldom(
    async () => {
      now += 50;
      return (reads += 1);
    },
    () => now,
  );
  const got: (number | null)[] = [];
  for (const wait of [0, 4_999, 1]) {
    now += wait;
    got.push(await read());
  }
  expect(got).toEqual([1, 1, 2]);
});

it("the receiver's counts are added to those of this process; its store and its connections are shown", async () => {
  const receiver = createDeliveryTally({ isDeclared: () => true });
  for (let n = 0; n < 4; n += 1) receiver.observe({ type: "delivery", delivery, tookMs: 1 });
  receiver.observe({ type: "unauthenticated" });
  const { metrics, lines } = metricsOver(
    {},
    {
      readService: async () => ({
        runs: [],
        workers: {
          ready: { shared: 1, isolated: 0 },
          rssBytes: { shared: 1, isolated: 0 },
          ended: { retired: 0, killed: 0, stopped: 0, crashed: 0, blocked: 0 },
        },
        webRestarts: 1,
        receiverRestarts: 2,
        receiver: {
          deliveries: receiver.read(),
          store: { ...storeNumbers, waitingWrites: 9 },
          closedConnections: [{ closed: { limit: "address", connection: "idle" }, count: 3 }],
          rssBytes: 5,
        },
      }),
    },
  );
  metrics.observeReceiver({ type: "delivery", delivery, tookMs: 1 });
  const text = await lines();
  for (const line of [
    'signalbox_deliveries_total{endpoint="billing",outcome="accepted",status="202"} 5',
    'signalbox_delivery_duration_seconds_count{outcome="accepted"} 5',
    'signalbox_unauthenticated_total{interface="webhook"} 1',
    'signalbox_closed_connections_total{limit="address",connection="idle"} 3',
    "signalbox_store_waiting_writes 9",
    "signalbox_web_restarts_total 1",
    "signalbox_receiver_restarts_total 2",
    "signalbox_receiver_resident_memory_bytes 5",
  ])
    expect(text).toContain(line);
});
