import type { DeliveryOutcome, DeliverySummary, VerdictList, VerdictOutcome } from "../../contract/delivery.ts";
import type { ErrorCode } from "../../contract/error-codes.ts";
import { addBuckets, type BucketCounts, type BucketTally, createBucketTally } from "../bucket-tally.ts";

type CountedDelivery = Pick<DeliverySummary, "endpoint" | "outcome" | "responseStatus" | keyof VerdictList>;

/** The counted part of an event of the receiver. */
export type CountedEvent =
  | { type: "delivery"; delivery: CountedDelivery; tookMs: number }
  | { type: "rejected" | "unrecorded"; code: ErrorCode }
  | { type: "unauthenticated" };

/** Seconds. */
export const deliveryDurationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

type Count = readonly [labels: readonly string[], count: number];

/** Counts of received webhooks since a process started. Plain data: it travels between processes. */
export interface DeliveryNumbers {
  /** By endpoint, outcome and status. */
  deliveries: readonly Count[];
  /** By endpoint and outcome. */
  verdicts: readonly Count[];
  /** Runs by trigger. */
  runs: readonly Count[];
  /** By error code. */
  rejections: readonly Count[];
  /** By error code. */
  unrecorded: readonly Count[];
  unauthenticated: number;
  /** Seconds, by outcome. */
  durations: readonly (readonly [outcome: string, durations: BucketCounts])[];
}

export interface DeliveryTally {
  observe(event: CountedEvent): void;
  read(): DeliveryNumbers;
}

type VerdictTally = Record<VerdictOutcome, number>;

interface EndpointTally {
  /** By outcome, then by status. */
  outcomes: Map<DeliveryOutcome, Map<number, number>>;
  verdicts: VerdictTally;
}

const noVerdicts = (): VerdictTally => ({ matched: 0, request_mismatch: 0, filter_mismatch: 0, disabled: 0 });

/** The label for unknown endpoints, whose names callers choose. No slug begins like this. */
const otherEndpoint = "_other";

/** Counts received webhooks: a few look-ups per webhook, and no new objects. `isDeclared`: the project has the endpoint. */
export function createDeliveryTally({ isDeclared }: { isDeclared: (endpoint: string) => boolean }): DeliveryTally {
  const endpoints = new Map<string, EndpointTally>();
  const durations = new Map<DeliveryOutcome, BucketTally>();
  const runs = new Map<string, number>();
  const rejections = new Map<string, number>();
  const unrecorded = new Map<string, number>();
  let unauthenticated = 0;

  function tallyOf(endpoint: string): EndpointTally {
    const known = endpoints.get(endpoint);
    if (known) return known;
    if (endpoint !== otherEndpoint && !isDeclared(endpoint)) return tallyOf(otherEndpoint);
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
    observe(event) {
      switch (event.type) {
        case "delivery":
          return observeDelivery(event.delivery, event.tookMs);
        case "rejected":
          return addOne(rejections, event.code);
        case "unrecorded":
          return addOne(unrecorded, event.code);
        case "unauthenticated":
          unauthenticated += 1;
      }
    },
    read: () => ({
      deliveries: [...endpoints].flatMap(([endpoint, { outcomes }]) =>
        [...outcomes].flatMap(([outcome, statuses]) =>
          [...statuses].map(([status, count]): Count => [[endpoint, outcome, String(status)], count]),
        ),
      ),
      verdicts: [...endpoints].flatMap(([endpoint, { verdicts }]) =>
        Object.entries(verdicts).map(([outcome, count]): Count => [[endpoint, outcome], count]),
      ),
      runs: toCounts(runs),
      rejections: toCounts(rejections),
      unrecorded: toCounts(unrecorded),
      unauthenticated,
      durations: [...durations].map(([outcome, tally]) => [outcome, tally.read()] as const),
    }),
  };
}

/** Adds the counts of two processes that receive: the receiver, and web for deliveries from a form. */
export function addDeliveryNumbers(a: DeliveryNumbers, b: DeliveryNumbers | null): DeliveryNumbers {
  if (!b) return a;
  const durations = new Map(a.durations);
  for (const [outcome, more] of b.durations) {
    const known = durations.get(outcome);
    durations.set(outcome, known ? addBuckets(known, more) : more);
  }
  return {
    deliveries: addCounts(a.deliveries, b.deliveries),
    verdicts: addCounts(a.verdicts, b.verdicts),
    runs: addCounts(a.runs, b.runs),
    rejections: addCounts(a.rejections, b.rejections),
    unrecorded: addCounts(a.unrecorded, b.unrecorded),
    unauthenticated: a.unauthenticated + b.unauthenticated,
    durations: [...durations],
  };
}

function addCounts(a: readonly Count[], b: readonly Count[]): Count[] {
  const sums = new Map<string, Count>();
  for (const [labels, count] of [...a, ...b]) {
    const name = labels.join("\n");
    sums.set(name, [labels, (sums.get(name)?.[1] ?? 0) + count]);
  }
  return [...sums.values()];
}

function toCounts(counts: ReadonlyMap<string, number>): Count[] {
  return Array.from(counts, ([label, count]): Count => [[label], count]);
}

function observeDuration(
  durations: Map<DeliveryOutcome, BucketTally>,
  outcome: DeliveryOutcome,
  seconds: number,
): void {
  const known = durations.get(outcome);
  if (known) return known.observe(seconds);
  const tally = createBucketTally(deliveryDurationBounds);
  durations.set(outcome, tally);
  tally.observe(seconds);
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
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
