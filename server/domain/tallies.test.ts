import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { DeliverySummary } from "../contract/delivery.ts";
import {
  addDeliveryNumbers,
  type CountedEvent,
  createBucketTally,
  createDeliveryTally,
  createRunTally,
  type DeliveryNumbers,
} from "./tallies.ts";

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

const verdict = (trigger: string) => ({
  trigger,
  attachmentId: `${trigger}:work`,
  target: { kind: "workflow" as const, slug: "work" },
  outcome: "matched" as const,
  runId: null,
  reasons: [],
});

const events: fc.Arbitrary<CountedEvent> = fc.oneof(
  fc.record({
    type: fc.constant("delivery" as const),
    // Their sums are exact in any order.
    tookMs: fc.constantFrom(0, 250, 500, 1_000, 4_000),
    delivery: fc
      .record({
        endpoint: fc.constantFrom("billing", "signup", "unknown-1", "unknown-2"),
        outcome: fc.constantFrom("accepted" as const, "rejected" as const),
        responseStatus: fc.constantFrom(202, 404),
        verdicts: fc.array(fc.constantFrom("a", "b").map(verdict), { maxLength: 3 }),
      })
      .map((some) => ({ ...delivery, ...some })),
  }),
  fc.record({
    type: fc.constantFrom("rejected" as const, "unrecorded" as const),
    code: fc.constantFrom("queue_full" as const, "unauthorized" as const),
  }),
  fc.constant({ type: "unauthenticated" as const }),
);

const isDeclared = (endpoint: string) => !endpoint.startsWith("unknown");

function count(observed: readonly CountedEvent[]): DeliveryNumbers {
  const tally = createDeliveryTally({ isDeclared });
  for (const event of observed) tally.observe(event);
  // As sent between processes.
  return JSON.parse(JSON.stringify(tally.read())) as DeliveryNumbers;
}

/** Counts have no order, and zeros may be left out. */
function sorted({ unauthenticated, ...lists }: DeliveryNumbers) {
  const entries = Object.entries(lists).map(([name, list]) => [
    name,
    (list as readonly unknown[]).map((entry) => JSON.stringify(entry)).toSorted(),
  ]);
  return { unauthenticated, ...Object.fromEntries(entries) };
}

it("the counts of two processes add up to those of one that received everything", () => {
  fc.assert(
    fc.property(fc.array(events), fc.array(events), (here, there) => {
      expect(sorted(addDeliveryNumbers(count(here), count(there)))).toEqual(sorted(count([...here, ...there])));
    }),
  );
});

const target = { kind: "workflow" as const, slug: "mail" };
const failed = { target, hasFailed: true, durationMs: 20 };
const went = { target, hasFailed: false, durationMs: 20 };

it("a retry is a failed attempt that is followed by another, and neither it nor a sleep is an end", () => {
  const tally = createRunTally();
  tally.started({ target, latencyMs: 2 });
  tally.ended({ ...went, status: "waiting" });
  tally.ended({ ...failed, status: "waiting" });
  tally.ended({ ...went, status: "queued" });
  tally.ended({ ...failed, status: "failed", durationMs: null });
  const [mail] = tally.read();
  expect(mail).toMatchObject({ target, started: 1, retried: 1, finished: { failed: 1 } });
  expect(mail?.durations.counts.reduce((all, count) => all + count)).toBe(3);
});

it("a clock that was set back makes no run start before it was recorded", () => {
  const tally = createRunTally();
  tally.started({ target, latencyMs: -5_000 });
  expect(tally.read()[0]?.startLatencies).toMatchObject({ sum: 0 });
});

it("a workflow and an agent of the same name are counted apart", () => {
  const tally = createRunTally();
  for (const kind of ["workflow", "agent", "agent"] as const)
    tally.started({ target: { kind, slug: "triage" }, latencyMs: 1 });
  expect(tally.read().map(({ target: { kind }, started }) => [kind, started])).toEqual([
    ["workflow", 1],
    ["agent", 2],
  ]);
});

const bounds = [1, 2.5, 10];

it("every value is in exactly one bucket: that of the first bound that is not below it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(0, 1, 2.5, 10), fc.double({ min: 0, max: 100, noNaN: true }))),
      (values) => {
        const tally = createBucketTally(bounds);
        for (const value of values) tally.observe(value);
        const { counts, sum } = tally.read();
        const upTo = (bound: number) => values.filter((value) => value <= bound).length;
        expect([counts[0], (counts[0] ?? 0) + (counts[1] ?? 0), values.length - (counts[3] ?? 0)]).toEqual([
          upTo(1),
          upTo(2.5),
          upTo(10),
        ]);
        expect(counts.reduce((all, count) => all + count, 0)).toBe(values.length);
        expect(sum).toBeCloseTo(values.reduce((all, value) => all + value, 0));
      },
    ),
  );
});

it("a result does not change while counting continues", () => {
  const tally = createBucketTally(bounds);
  const before = tally.read();
  tally.observe(3);
  expect([before, tally.read()]).toEqual([
    { counts: [0, 0, 0, 0], sum: 0 },
    { counts: [0, 0, 1, 0], sum: 3 },
  ]);
});
