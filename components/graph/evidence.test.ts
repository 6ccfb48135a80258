import { expect, it } from "vitest";
import type { Activity } from "./canvas-model.ts";
import { sampleModel } from "./testing/sample-graph.ts";
import { visibleGraph } from "./visible-graph.ts";
import { createTraffic, deliveriesHref, describeStopped, evidenceOfTrigger, stoppedCount } from "./evidence.ts";

const activity = (matched: number, other: number): Activity => ({
  since: "2026-01-01T00:00:00.000Z",
  until: "2026-01-01T01:00:00.000Z",
  bucketMs: 60_000,
  endpoints: [
    {
      endpoint: "billing",
      health: "unknown",
      outcomes: { accepted: 1, skipped: 0, rejected: 0, repeated: 0, held: 0 },
      buckets: [],
      lastAt: null,
    },
  ],
  triggers: [
    {
      attachmentId: "paid:ledger",
      matched,
      headers_mismatch: 0,
      query_mismatch: 0,
      request_mismatch: 0,
      filter_mismatch: 0,
      disabled: 0,
    },
    {
      attachmentId: "failed:notify",
      matched: other,
      headers_mismatch: 0,
      query_mismatch: 0,
      request_mismatch: 0,
      filter_mismatch: 0,
      disabled: 0,
    },
  ],
  routes: [
    {
      endpoint: "billing",
      target: "notify",
      matched,
      headers_mismatch: 0,
      query_mismatch: 0,
      request_mismatch: 1,
      filter_mismatch: 0,
      disabled: 0,
    },
  ],
  targets: [],
});

it("reports whether a count changed", () => {
  const traffic = createTraffic();
  expect([activity(1, 1), activity(1, 1), activity(2, 1)].map((one) => traffic.feed(one))).toEqual([true, false, true]);
  expect(traffic.since()).toBe("2026-01-01T00:00:00.000Z");
});

it("several triggers of a target use the counts of their route, not the sum of their verdicts", () => {
  const model = sampleModel([
    ["billing", "failed", "notify"],
    ["billing", "paid", "notify"],
    ["billing", "paid", "ledger"],
  ]);
  const { edges } = visibleGraph(model, { shownIds: null, folds: new Set(["endpoint:billing"]) });
  const traffic = createTraffic();
  traffic.feed(activity(2, 1));
  expect(edges.map(({ target, counts }) => [target, traffic.evidence(counts)])).toEqual([
    ["workflow:notify", { passed: 2, headers: 0, query: 0, request: 1, filter: 0, disabled: 0 }],
    ["workflow:ledger", { passed: 2, headers: 0, query: 0, request: 0, filter: 0, disabled: 0 }],
  ]);
});

it("unchanged values stay the same object", () => {
  const traffic = createTraffic();
  const attachments = ["paid:ledger"];
  traffic.feed(activity(1, 1));
  const before = [traffic.evidence(attachments), traffic.endpoint("endpoint:billing")];
  traffic.feed(activity(1, 2));
  expect(traffic.evidence(attachments)).toBe(before[0]);
  expect(traffic.endpoint("endpoint:billing")).toBe(before[1]);
});

const counts = (matched: number, request = 0, filter = 0) => ({
  matched,
  headers_mismatch: 0,
  query_mismatch: 0,
  request_mismatch: request,
  filter_mismatch: filter,
  disabled: 0,
});

it("a delivery to both attachments of a trigger counts once", () => {
  expect(evidenceOfTrigger([counts(388, 12, 10), counts(388, 12, 10)])).toEqual({
    passed: 388,
    headers: 0,
    query: 0,
    request: 12,
    filter: 10,
    disabled: 0,
  });
});

it("stopped deliveries are listed by stage", () => {
  const evidence = { passed: 388, headers: 0, query: 0, request: 12, filter: 1_010, disabled: 0 };
  expect(stoppedCount(evidence)).toBe(1_022);
  expect(describeStopped(evidence)).toBe("12 stopped by request, 1,010 by filter");
  expect(describeStopped({ ...evidence, request: 0 })).toBe("1,010 stopped by filter");
  expect(describeStopped({ ...evidence, headers: 3, query: 2 })).toBe(
    "3 stopped by headers, 2 by query, 12 by request, 1,010 by filter",
  );
});

it("a number links to exactly the deliveries that it counts", () => {
  const href = deliveriesHref({
    endpoint: "team/billing",
    trigger: "paid",
    verdict: "stopped",
    since: "2026-01-01T00:00:00.000Z",
  });
  expect(Object.fromEntries(new URL(href, "http://localhost").searchParams)).toEqual({
    endpoint: "team/billing",
    trigger: "paid",
    verdict: "stopped",
    since: "2026-01-01T00:00:00.000Z",
  });
});
