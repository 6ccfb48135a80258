import type { DeliveryOutcome } from "../contract/delivery.ts";
import type { DeliveryCount } from "../ports/store.ts";

export type OutcomeCounts = Record<DeliveryOutcome, number>;

export function sumOutcomes(counts: readonly DeliveryCount[]): OutcomeCounts {
  const sums: OutcomeCounts = { accepted: 0, skipped: 0, rejected: 0, repeated: 0 };
  for (const { outcome, count } of counts) sums[outcome] += count;
  return sums;
}
