import type { DeliveryOutcome, VerdictList, VerdictOutcome } from "../../../contract/delivery.ts";
import type { ErrorCode } from "../../../contract/error-codes.ts";
import { type BucketTally, createBucketTally } from "../../../domain/bucket-tally.ts";
import type { ReceiverEvent } from "../../../ingest/delivery-record.ts";
import type { NewDelivery } from "../../../ports/store/delivery-store.ts";
import type { PulledMetrics } from "./prometheus.ts";

type CountedDelivery = Pick<NewDelivery, "endpoint" | "outcome" | "responseStatus" | keyof VerdictList>;

/** An event of the receiver, as far as it is counted. */
export type CountedEvent =
  | Exclude<ReceiverEvent, { type: "delivery" }>
  | { type: "delivery"; delivery: CountedDelivery; tookMs: number };

type VerdictTally = Record<VerdictOutcome, number>;

const noVerdicts = (): VerdictTally => ({ matched: 0, request_mismatch: 0, filter_mismatch: 0, disabled: 0 });

/** The label for unknown endpoints, whose names callers choose. No slug begins like this. */
const otherEndpoint = "_other";
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

interface EndpointTally {
  /** By outcome, then by status. */
  outcomes: Map<DeliveryOutcome, Map<number, number>>;
  verdicts: VerdictTally;
}

/** Counts on the way of every webhook: a few look-ups, and nothing made. */
export function createDeliveryMetrics(metrics: PulledMetrics, p: { isDeclared: (endpoint: string) => boolean }) {
  const endpoints = new Map<string, EndpointTally>();
  const durations = new Map<DeliveryOutcome, BucketTally>();
  const runs = new Map<string, number>();
  const rejections = new Map<ErrorCode, number>();
  const unrecorded = new Map<ErrorCode, number>();
  const unauthenticated = new Map<"webhook" | "api", number>();

  metrics.counter({
    name: "signalbox_deliveries_total",
    help: "Recorded deliveries, by endpoint, outcome and status of the response.",
    labels: ["endpoint", "outcome", "status"],
    read: () => readOutcomes(endpoints),
  });
  metrics.counter({
    name: "signalbox_verdicts_total",
    help: "Verdicts of triggers on deliveries, by endpoint and outcome.",
    labels: ["endpoint", "outcome"],
    read: () => readVerdicts(endpoints),
  });
  metrics.counter({
    name: "signalbox_delivered_runs_total",
    help: "Runs that deliveries started, by trigger.",
    labels: ["trigger"],
    read: () => pairs("trigger", runs),
  });
  metrics.counter({
    name: "signalbox_rejections_total",
    help: "Rejected webhooks, recorded or not, by error code.",
    labels: ["code"],
    read: () => pairs("code", rejections),
  });
  metrics.counter({
    name: "signalbox_unrecorded_total",
    help: "Authenticated webhooks that were rejected and not recorded as deliveries, by error code. Recorded ones are in signalbox_deliveries_total.",
    labels: ["code"],
    read: () => pairs("code", unrecorded),
  });
  metrics.counter({
    name: "signalbox_unauthenticated_total",
    help: "Requests without a valid key, to webhook URLs or to the API.",
    labels: ["interface"],
    read: () => pairs("interface", unauthenticated),
  });
  metrics.histogram({
    name: "signalbox_delivery_duration_seconds",
    help: "Time from the arrival of a delivery until it is on disk and answered.",
    labels: ["outcome"],
    bounds: durationBounds,
    read: () => [...durations].map(([outcome, tally]) => [{ outcome }, tally.read()] as const),
  });

  function tallyOf(endpoint: string): EndpointTally {
    const known = endpoints.get(endpoint);
    if (known) return known;
    if (endpoint !== otherEndpoint && !p.isDeclared(endpoint)) return tallyOf(otherEndpoint);
    const tally: EndpointTally = { outcomes: new Map(), verdicts: noVerdicts() };
    endpoints.set(endpoint, tally);
    return tally;
  }

  function observeDelivery(delivery: CountedDelivery, tookMs: number): void {
    const { endpoint, outcome, responseStatus } = delivery;
    const tally = tallyOf(endpoint);
    const statuses = tally.outcomes.get(outcome);
    if (statuses) addOne(statuses, responseStatus);
    else tally.outcomes.set(outcome, new Map([[responseStatus, 1]]));
    observeDuration(durations, outcome, tookMs / 1000);
    addVerdicts(tally.verdicts, delivery, outcome === "accepted" ? (trigger) => addOne(runs, trigger) : null);
  }

  return {
    observeReceiver(event: CountedEvent): void {
      switch (event.type) {
        case "delivery":
          return observeDelivery(event.delivery, event.tookMs);
        case "rejected":
          return addOne(rejections, event.code);
        case "unrecorded":
          return addOne(unrecorded, event.code);
        case "unauthenticated":
          return addOne(unauthenticated, "webhook");
      }
    },
    observeUnauthenticatedApi: (): void => addOne(unauthenticated, "api"),
  };
}

function observeDuration(
  durations: Map<DeliveryOutcome, BucketTally>,
  outcome: DeliveryOutcome,
  seconds: number,
): void {
  const known = durations.get(outcome);
  if (known) return known.observe(seconds);
  const tally = createBucketTally(durationBounds);
  durations.set(outcome, tally);
  tally.observe(seconds);
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function pairs(label: string, counts: Map<string, number>) {
  return [...counts].map(([key, count]) => [{ [label]: key }, count] as const);
}

function readOutcomes(endpoints: Map<string, EndpointTally>) {
  return [...endpoints].flatMap(([endpoint, { outcomes }]) =>
    [...outcomes].flatMap(([outcome, statuses]) =>
      [...statuses].map(([status, count]) => [{ endpoint, outcome, status: String(status) }, count] as const),
    ),
  );
}

function readVerdicts(endpoints: Map<string, EndpointTally>) {
  return [...endpoints].flatMap(([endpoint, { verdicts }]) =>
    Object.entries(verdicts).map(([outcome, count]) => [{ endpoint, outcome }, count] as const),
  );
}

function addVerdicts(
  tally: VerdictTally,
  { verdicts, unlistedVerdicts }: VerdictList,
  onMatch: ((trigger: string) => void) | null,
): void {
  for (const { outcome, trigger } of verdicts) {
    tally[outcome] += 1;
    if (onMatch && outcome === "matched") onMatch(trigger);
  }
  for (const { outcome, count } of unlistedVerdicts) tally[outcome] += count;
}
