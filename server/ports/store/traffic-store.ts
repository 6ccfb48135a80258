import type { DeliveryOutcome, VerdictOutcome, DeliverySummary } from "../../contract/delivery.ts";
import type { Target } from "../../contract/project/target.ts";
import type { RunSummary } from "../../contract/run.ts";

/** Counted when the delivery was recorded, in the same transaction. */
export interface DeliveryCount {
  endpoint: string;
  /** Start of the bucket, UTC milliseconds. */
  at: number;
  outcome: DeliveryOutcome;
  count: number;
}

export interface VerdictCount {
  attachmentId: string;
  outcome: VerdictOutcome;
  count: number;
}

/** Verdicts in one bucket of time. */
export interface VerdictBucket extends VerdictCount {
  /** Start of the bucket, UTC milliseconds. */
  at: number;
}

/**
 * Deliveries to an endpoint that the triggers of this target evaluated. Each is counted once, by its best verdict
 * (matched, filter, request, off).
 */
export interface TargetCount {
  endpoint: string;
  /** The slug of the target. */
  target: string;
  outcome: VerdictOutcome;
  count: number;
}

/** Recent statistics of a target, from at most its newest 200 runs. */
export interface TargetSummary {
  target: Target;
  /** Runs since the given time, at most 200; `isCapped`: there are more. */
  runs: number;
  isCapped: boolean;
  completed: number;
  /** `failed` and `timed_out`. */
  failed: number;
  /** `queued`, `running` and `waiting`. */
  open: number;
  /** Median of `finishedAt - startedAt` of the completed runs. */
  p50Ms: number | null;
  /** At any time, not only in the window. */
  lastRun: RunSummary | null;
}

/** Times are rounded down to `bucketMs`: `since` inclusive, `until` exclusive. */
export interface TrafficWindow {
  since: number;
  until: number;
  /** A minute or an hour: the two stored sizes. */
  bucketMs: 60_000 | 3_600_000;
}

export interface TrafficStore {
  /**
   * Deliveries by endpoint, bucket and outcome, oldest first: of these endpoints, or of all together with `endpoint:
   * ""`.
   */
  countDeliveries(window: TrafficWindow & { endpoints: readonly string[] | null }): Promise<DeliveryCount[]>;
  /**
   * Verdicts of the attachments on these endpoints, and deliveries by the targets of their triggers, over the whole
   * window. Minute buckets are kept for two days.
   */
  countVerdicts(
    window: TrafficWindow & { endpoints: readonly string[] },
  ): Promise<{ verdicts: VerdictCount[]; targets: TargetCount[] }>;
  /**
   * Verdicts of the attachments of one trigger on an endpoint, by bucket, oldest first. Minute buckets are kept for two
   * days.
   */
  countVerdictBuckets(window: TrafficWindow & { endpoint: string; trigger: string }): Promise<VerdictBucket[]>;
  /** In the requested order. */
  summarizeTargets(p: { targets: readonly Target[]; since: number }): Promise<TargetSummary[]>;
  /**
   * Newest runs and deliveries whose ids start or end with this text; at most `limit` of each. Endings are searched
   * among the newest 10,000.
   */
  searchIds(p: { text: string; limit: number }): Promise<{ runs: RunSummary[]; deliveries: DeliverySummary[] }>;
}
