import type { DeliveryFilterFields, HeldFilterFields } from "../../contract/filters.ts";
import type { StoreFilter } from "../../domain/store-filter.ts";
import type {
  DeliveryOutcome,
  VerdictOutcome,
  DeliverySummary,
  Delivery,
  UnlistedVerdicts,
  Verdict,
} from "../../contract/delivery.ts";
import type { PageRequest, Page } from "../../contract/list.ts";
import type { MatchedEvent, ToStoredResult } from "../../domain/runs/event-waits.ts";
import type { Problem } from "../../contract/problem.ts";
import type { Target } from "../../contract/project/target.ts";
import type { NewRun } from "./new-run.ts";
import type { QueueFull } from "./run-store.ts";

export interface NewDelivery {
  id: string;
  endpoint: string;
  receivedAt: number;
  method: string;
  headers: Record<string, string>;
  /** The bytes as received; `null` if they are not stored (over the limit, not authenticated). */
  body: Uint8Array | null;
  /** Bytes received, or the declared length if the body was not read. */
  bodyBytes: number;
  bodySha256: string | null;
  outcome: DeliveryOutcome;
  responseStatus: number;
  problem: Problem | null;
  verdicts: Verdict[];
  unlistedVerdicts: UnlistedVerdicts[];
  durationMs: number;
  /** Id of the webhook key that authenticated it. */
  keyId: string | null;
  /** The delivery whose body was redelivered. */
  redeliveryOf: string | null;
}

export interface AcceptedRun {
  runId: string;
  trigger: string;
  attachmentId: string;
  target: Target;
}

/** A run that a delivery woke: it waited for an event of this source. */
export interface WokenRun {
  runId: string;
  source: string;
}

/** The sources that a delivery matches, for runs that wait for their events. */
export interface DeliveredEvents {
  events: readonly MatchedEvent[];
  /** The outcome if the delivery starts no run, but wakes one. */
  ifWoken: Pick<NewDelivery, "outcome" | "responseStatus" | "problem">;
  /** Default: `toStoredResult`. */
  toResult?: ToStoredResult;
}

export type AcceptResult =
  /** `hasMoreWaiting`: more runs wait for it than one transaction wakes. A search will wake them. */
  | { kind: "accepted"; woke?: readonly WokenRun[]; hasMoreWaiting?: boolean }
  /**
   * The key was already accepted with the same body; nothing was written. `runs` are in their original order; empty if
   * the first delivery is held.
   */
  | { kind: "repeated"; deliveryId: string; runs: AcceptedRun[]; woke?: readonly WokenRun[] }
  /** The key was already accepted with a different body; nothing was written. */
  | { kind: "conflict"; deliveryId: string }
  /** The queue of a target is full; nothing was written. */
  | { kind: "full"; queue: QueueFull };

export type DeliveryFilter = StoreFilter<Omit<DeliveryFilterFields, "trigger" | "verdict">> & {
  /** Only deliveries for which this trigger's attachments have one of these verdicts. Fastest with `endpoint`. */
  verdict?: { trigger: string; outcomes: readonly VerdictOutcome[] };
};

export type HeldFilter = StoreFilter<HeldFilterFields>;

export interface ReleaseRequest {
  id: string;
  /** Of the current triggers, with the ids of `runs`. */
  verdicts: Verdict[];
  unlistedVerdicts: UnlistedVerdicts[];
  /** At least one. They get the key that authenticated the delivery. */
  runs: NewRun[];
  /** As in `acceptDelivery`. Default: none. */
  delivered?: Pick<DeliveredEvents, "events" | "toResult"> | undefined;
  at: number;
}

export type ReleaseResult =
  | { kind: "released" }
  /** There is no such delivery, or it is not held (any more); nothing was written. */
  | { kind: "not_held" }
  /** The queue of a target is full; nothing was written. */
  | { kind: "full"; queue: QueueFull };

/** How long the caller waits for a write. */
export interface WriteTerms {
  /**
   * By `performance.now()`. The write is committed by then, or it never is, and its call rejects with AppError
   * `store_unavailable`. Only if a commit that has begun gives no result by then, the call rejects although it may
   * still succeed.
   */
  by: number;
  /** Whether the caller has stopped waiting. The write then does not begin. Default: it has not. */
  isAbandoned?(): boolean;
}

export interface DeliveryStore {
  /**
   * Records a delivery and its runs in one transaction. With `idempotency`, only if no delivery with the same key was
   * accepted on the endpoint since `notBefore`; exactly one of several concurrent calls is `accepted`. A different body
   * with the same key is a conflict, unless it `mayDiffer`. Only an accepted or held delivery reserves its key (see
   * `reservesKey`): a skipped or rejected one is recorded and can be repeated. `maxQueued` is checked in the same
   * transaction, so concurrent calls never exceed it. Every `queued` run counts, including one that was handed back,
   * which is itself never rejected. Default of `terms`: the caller waits as long as the store needs.
   */
  acceptDelivery(
    p: {
      delivery: NewDelivery;
      runs: NewRun[];
      idempotency: { key: string; notBefore: number; mayDiffer?: boolean } | null;
      /** Runs that wait for one of these events are woken in the same transaction. Default: none. */
      delivered?: DeliveredEvents | undefined;
    },
    terms?: WriteTerms,
  ): Promise<AcceptResult>;
  /**
   * Releases a held delivery: records its runs, its new verdicts and the outcome `accepted` in one transaction, if it
   * is still held. Exactly one of several concurrent calls is `released`. `maxQueued` is checked as in
   * `acceptDelivery`.
   */
  releaseDelivery(request: ReleaseRequest): Promise<ReleaseResult>;
  /** The ids of held deliveries, oldest first. Later pages do not have those that were released in the meantime. */
  listHeld(filter: HeldFilter, page: PageRequest): Promise<Page<string>>;
  countHeld(): Promise<number>;
  /** Records a delivery that starts no run. */
  recordDelivery(delivery: NewDelivery, terms?: WriteTerms): Promise<void>;
  listDeliveries(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliverySummary>>;
  getDelivery(id: string): Promise<Delivery | null>;
  /** The runs that waited for these deliveries, by the id of the delivery. Has no entry for one that woke none. */
  findWoken(ids: readonly string[]): Promise<Map<string, WokenRun[]>>;
  /** The stored bodies of at most 100 deliveries, by id. Has no entry for an unknown delivery. */
  getDeliveryBodies(ids: readonly string[]): Promise<Map<string, Uint8Array | null>>;
  /** As stored: lower-case names, without secrets. */
  getDeliveryHeaders(id: string): Promise<Record<string, string> | null>;
}
