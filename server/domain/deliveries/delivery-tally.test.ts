import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { DeliverySummary } from "../../contract/delivery.ts";
import { addDeliveryNumbers, createDeliveryTally, type DeliveryNumbers, type CountedEvent } from "./delivery-tally.ts";

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
