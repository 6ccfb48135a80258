import type { ApprovalDecision } from "../contract/agent-step.ts";
import type { Delivery, DeliveryOutcome, DeliverySummary } from "../contract/delivery.ts";
import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { Key, KeyKind } from "../contract/key.ts";
import type { Page } from "../contract/page.ts";
import type { Preset, PresetSubject } from "../contract/preset.ts";
import type { Problem } from "../contract/problem.ts";
import type { Scope } from "../contract/scope.ts";
import type { Run, RunError, RunStatus, RunSummary, StartedBy } from "../contract/run.ts";
import type { Target } from "../contract/target.ts";
import type { AuditStore, IdentityRows, NewAuditEntry, PeopleStore } from "./people-store.ts";
import type { RateAsked, RatesTaken } from "../domain/rate-limit.ts";
import type { StoreNumbers } from "./store-numbers.ts";
import type { UpkeepStore } from "./upkeep-store.ts";
import type { LogLevel, TimelineEntry, TimelineKind } from "../contract/timeline.ts";
import type { VerdictOutcome } from "../contract/verdict.ts";
import type { Verdicts } from "../domain/verdict-list.ts";

/**
 * The store: deliveries, runs, steps, timelines, keys and workers. Every operation is atomic. When its promise
 * resolves, its writes survive `kill -9` and power loss. Only claims, leases and workers can be lost in a power
 * failure, because no worker is alive then. Times are UTC milliseconds as arguments, and ISO 8601 in results of
 * contract types. An operation that is currently impossible rejects with AppError `store_unavailable`.
 */
export interface Store
  extends
    DeliveryStore,
    RunStore,
    TrafficStore,
    PresetStore,
    SwitchStore,
    EngineStore,
    KeyStore,
    PeopleStore,
    AuditStore,
    IdentityRows,
    UpkeepStore {
  /** Rejects if the store is not writable. */
  ping(): Promise<void>;
  /**
   * Calls the listener soon (≤ 100 ms) after each write of this or another connection or process. Spurious calls are
   * possible. Returns a function that stops it.
   */
  watch(listener: () => void): () => void;
  /**
   * A string that changes with every new or changed delivery, run, preset or trigger switch, but not with worker
   * heartbeats. Cheap: it is read after every write.
   */
  mark(): Promise<string>;
  /** The same for the live output of agents' models. When it ends, `mark` changes. */
  liveMark(): Promise<string>;
  /**
   * Takes one token from each of the given rate limits, or from none if any is exhausted. The limits are shared by the
   * processes on all machines and use the store's clock. A crash of the store can lose taken tokens. Absent if only one
   * process receives, which counts by itself.
   */
  takeRates?(asked: readonly RateAsked[]): Promise<RatesTaken>;
  /** Statistics of this process's use of the store since it was opened. Reads nothing from the store. */
  numbers(): Promise<StoreNumbers>;
  close(): Promise<void>;
}

// ---- deliveries ----

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
  verdicts: Verdicts;
  durationMs: number;
  /** Id of the webhook key that authenticated it. */
  keyId: string | null;
  /** The delivery whose body was redelivered. */
  redeliveryOf: string | null;
}

export interface NewRun {
  id: string;
  trigger: string | null;
  attachmentId: string | null;
  target: Target;
  deliveryId: string | null;
  startedBy: StartedBy;
  replayOf: string | null;
  version: string;
  maxAttempts: number;
  /** Maximum queued runs of the target, including these; absent or `null`: no limit. Not stored. */
  maxQueued?: number | null;
  createdAt: number;
  /** The output of the trigger's `request`; `null` if the run starts with its input. */
  payload: Json | null;
  /** The input, if it is already known (without a transform). */
  input: Json | null;
  keyId: string | null;
}

export interface AcceptedRun {
  runId: string;
  trigger: string;
  attachmentId: string;
  target: Target;
}

/** `adds` more runs of `target` would exceed `maxQueued`. */
export interface QueueFull {
  target: Target;
  maxQueued: number;
  adds: number;
}

export type AcceptResult =
  | { kind: "accepted" }
  /** The key was already accepted with the same body; nothing was written. `runs` are in their original order. */
  | { kind: "repeated"; deliveryId: string; runs: AcceptedRun[] }
  /** The key was already accepted with a different body; nothing was written. */
  | { kind: "conflict"; deliveryId: string }
  /** The queue of a target is full; nothing was written. */
  | { kind: "full"; queue: QueueFull };

export interface DeliveryFilter {
  endpoint?: string;
  outcome?: DeliveryOutcome;
  responseStatus?: number;
  /** Received at or after this time. */
  since?: number;
  /** Received before this time. */
  until?: number;
  /** Only deliveries for which this trigger's attachments have one of these verdicts. Fastest with `endpoint`. */
  verdict?: { trigger: string; outcomes: readonly VerdictOutcome[] };
  /** Only deliveries whose body contains this text (UTF-8; ASCII letters match in either case). */
  text?: string;
  redeliveryOf?: string;
}

/**
 * `limit` 1–100, newest first. An invalid cursor rejects with AppError `invalid_request`. Filters without an index scan
 * a limited number of rows: such a page can be short or even empty, and its `nextCursor` continues from there. Only
 * `nextCursor: null` is the end.
 */
export interface PageRequest {
  limit: number;
  cursor: string | null;
}

export interface DeliveryStore {
  /**
   * Records a delivery and its runs in one transaction. With `idempotency`, only if no delivery with the same key was
   * accepted on the endpoint since `notBefore`; exactly one of several concurrent calls is `accepted`. A different body
   * with the same key is a conflict, unless it `mayDiffer`. Only a delivery with the outcome `accepted` reserves its
   * key: a skipped or rejected one is recorded and can be repeated. `maxQueued` is checked in the same transaction, so
   * concurrent calls never exceed it. Every `queued` run counts, including one that was handed back, which is itself
   * never rejected.
   */
  acceptDelivery(p: {
    delivery: NewDelivery;
    runs: NewRun[];
    idempotency: { key: string; notBefore: number; mayDiffer?: boolean } | null;
  }): Promise<AcceptResult>;
  /** Records a delivery that starts no run. */
  recordDelivery(delivery: NewDelivery): Promise<void>;
  listDeliveries(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliverySummary>>;
  getDelivery(id: string): Promise<Delivery | null>;
  /** As stored: lower-case names, without secrets. */
  getDeliveryHeaders(id: string): Promise<Record<string, string> | null>;
  /**
   * Removes shared lists that no remaining delivery uses, after deliveries were removed. Returns the number of removed
   * lists.
   */
  removeUnusedVerdicts(): Promise<number>;
}

// ---- runs ----

export interface RunFilter {
  trigger?: string;
  /** A slug; `targetKind` narrows it. */
  target?: string;
  targetKind?: Target["kind"];
  status?: RunStatus;
  delivery?: string;
  /** Created at or after this time. */
  since?: number;
  /** Created before this time. */
  until?: number;
  /** Only runs that this key started. */
  keyId?: string;
  version?: string;
  replayOf?: string;
  /** Only runs whose payload or input contains this text (ASCII letters match in either case). */
  text?: string;
  /** Only agent runs that used at least this many tokens. */
  minTokens?: number;
  /** Only agent runs that cost at least this many US dollars; runs of unknown cost are excluded. */
  minCostUsd?: number;
  /** Only runs that wait for a person's approval. */
  needsApproval?: true;
}

/** The filters that share an index with the spend of runs. */
export type SpendFilter = Pick<
  RunFilter,
  "trigger" | "target" | "targetKind" | "status" | "version" | "since" | "until" | "minTokens" | "minCostUsd"
>;

/** The usage of one agent's runs. */
export interface AgentSpend {
  agent: string;
  runs: number;
  /** The number of `runs` whose cost is known. */
  pricedRuns: number;
  tokens: number;
  /** Cost of `pricedRuns` in US dollars. */
  costUsd: number;
}

export interface RunStore {
  /**
   * Records runs that no delivery started, all or none. Each gets its `queued` timeline entry and counts towards
   * `maxQueued` (as in acceptDelivery). Rejects with AppError `queue_full`.
   */
  createRuns(runs: NewRun[]): Promise<void>;
  /**
   * The same, but records only the runs that fit, in order. Returns the others, each with its queue. If it rejects, no
   * run is recorded.
   */
  createFittingRuns(runs: NewRun[]): Promise<{ id: string; queue: QueueFull }[]>;
  listRuns(filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>;
  /** The existing runs among the given ids (at most 100), newest first. */
  findRuns(ids: readonly string[]): Promise<RunSummary[]>;
  getRun(id: string): Promise<(Run & { keyId: string | null }) | null>;
  /** Entries with an id greater than `after`, oldest first. */
  listTimeline(runId: string, p: { after: number; limit: number }): Promise<TimelineEntry[]>;
  /**
   * Cancels a run. Queued and waiting runs are `canceled` immediately. For a running one, the request is stored and its
   * worker ends it. `ended`: the run had already ended.
   */
  requestCancel(runId: string, now: number): Promise<"canceled" | "requested" | "ended" | "missing">;
  /**
   * Decides a pending approval of a run. Its step ends, with the decision beside the request, and the run is due as
   * soon as it has no other pending approval. `closed`: the approval is already decided, or the run does not wait.
   * Writes the timeline entry `approval_decided`.
   */
  decideApproval(p: {
    runId: string;
    name: string;
    decision: ApprovalDecision;
    now: number;
  }): Promise<"decided" | "closed" | "missing">;
  /**
   * Total usage of the runs of each agent. At most the newest 25,000 runs of the period are read; `isCapped`: there are
   * more.
   */
  sumSpend(filter: SpendFilter): Promise<{ agents: AgentSpend[]; isCapped: boolean }>;
  /** Statistics for /metrics and the overview. */
  countOpenRuns(): Promise<{ queued: number; running: number; waiting: number }>;
}

// ---- traffic ----

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

// ---- presets ----

export interface PresetStore {
  /** By name. */
  listPresets(subject: PresetSubject): Promise<Preset[]>;
  /** Replaces the preset with the same subject and name. */
  savePreset(p: { id: string; subject: PresetSubject; name: string; value: Json; now: number }): Promise<Preset>;
  /** Returns `false` if there is no such preset. */
  removePreset(id: string): Promise<boolean>;
}

// ---- switches of triggers ----

export interface SwitchStore {
  /** The disabled triggers. Cheap: read in every turn of the event loop that receives webhooks. */
  listDisabledTriggers(): Promise<DisabledTriggers>;
  /**
   * Disables (`disable`) or enables (`null`) a trigger, even if the project has no trigger with this slug. An already
   * disabled trigger keeps its time, and its reason unless a new one is given. Returns whether it was disabled before.
   */
  switchTrigger(p: { slug: string; disable: { at: number; reason: string | null } | null }): Promise<boolean>;
}

// ---- the engine ----

export interface ClaimedRun {
  id: string;
  /** Fencing token: every later write of this run must carry it. */
  token: string;
  /** No other worker claims the run before this time, unless its worker is gone. */
  leaseUntil: number;
  status: "running";
  trigger: string | null;
  attachmentId: string | null;
  target: Target;
  deliveryId: string | null;
  attempt: number;
  maxAttempts: number;
  /** Whether this claim continues an attempt that had started (after a sleep or a lost worker). */
  isResumed: boolean;
  payload: Json | null;
  input: Json | null;
  createdAt: number;
}

export interface StepRecord {
  /** Unique in the run: the second step with the same name is `name#2`. */
  name: string;
  /** `approval`: a sleep that a person's decision ends. */
  kind: "step" | "sleep" | "approval";
  attempt: number;
  startedAt: number;
  /** `null` for a sleep or an approval that has not ended. */
  finishedAt: number | null;
  /** The end of a sleep, or the time at which an approval times out. */
  until: number | null;
  result: Json | null;
}

/** The live output of a model in an unfinished step. */
export interface LiveRecord {
  step: string;
  attempt: number;
  startedAt: number;
  updatedAt: number;
  said: Json;
}

/** The usage of an agent's run since its start. */
export interface Spend {
  /** Input and output tokens of all model calls. */
  tokens: number;
  /** US dollars; `null` if unknown. */
  costUsd: number | null;
}

export interface NewTimelineEntry {
  at: number;
  kind: TimelineKind;
  attempt: number;
  name?: string;
  level?: LogLevel;
  message?: string;
  durationMs?: number;
  until?: number;
  error?: RunError;
  data?: Json;
}

/**
 * A status change by the worker that has the run. A run whose cancellation was requested never returns to `waiting` or
 * `queued`: the store cancels it instead, with that timeline entry.
 */
export type RunTransition =
  /** Back to `waiting` until `availableAt`. `sleep` continues the same attempt, `retry` starts the next one. */
  | { to: "waiting"; reason: "sleep" | "retry"; availableAt: number }
  /** Back to `queued` immediately with the same attempt: the worker is shutting down. */
  | { to: "queued" }
  | { to: "completed"; output: Json | null }
  | { to: "failed" | "timed_out" | "canceled"; error: RunError | null };

export interface ClaimRequest {
  workerId: string;
  limit: number;
  now: number;
  leaseMs: number;
  /**
   * Maximum concurrent runs of a target (`kind:slug`, e.g. `workflow:welcome-email`) over all workers. Absent: no
   * limit.
   */
  concurrency: ReadonlyMap<string, number>;
  /** `isolated` claims only runs that must be alone in their process; `shared` claims only the others. */
  pool: "shared" | "isolated";
  /**
   * The version of the worker's build. If machines share a store, it selects the runs for this worker; see
   * `versionsToTake`. Absent: all runs.
   */
  version?: string;
}

export interface LostRun {
  id: string;
  /**
   * `resume` continues the same attempt. `isolate` does so alone in a process. `fail` means that the attempt itself is
   * to blame.
   */
  fate:
    | { kind: "resume" }
    | { kind: "isolate" }
    | { kind: "fail"; transition: RunTransition; entries: NewTimelineEntry[] };
}

export interface WorkerInfo {
  id: string;
  pid: number;
  host: string;
  version: string;
  startedAt: number;
  seenAt: number;
  /** The worker claims no more runs and finishes its active ones. */
  isLeaving?: boolean;
}

export interface EngineStore {
  /**
   * Claims up to `limit` due runs (`queued`, or `waiting` until a past time), oldest first. They become `running` with
   * a new token and a lease. `attempt` increases by one, unless the run is resumed. Two claims never take the same run.
   * Also writes the timeline entry (`attempt_started` or `resumed`); its `message` says if another version accepted the
   * run.
   */
  claimRuns(p: ClaimRequest): Promise<ClaimedRun[]>;
  /** The stored steps and sleeps of a run, to continue after them. */
  loadSteps(runId: string): Promise<StepRecord[]>;
  /**
   * Writes the progress of a run atomically, if the token is still valid. `held: false`: another worker has the run, or
   * it has ended; nothing was written, and the caller must stop. `cancelRequested`: a cancellation was requested.
   */
  writeProgress(p: {
    runId: string;
    token: string;
    now: number;
    input?: Json;
    entries: NewTimelineEntry[];
    steps?: StepRecord[];
    /** Replaces the previous value. */
    spend?: Spend;
    /** The live output of the run's model has ended. */
    clearsLive?: boolean;
    transition?: RunTransition;
  }): Promise<{ held: boolean; cancelRequested: boolean }>;
  /**
   * Replaces the live output of a run's model, if the token is still valid. It survives `kill -9`, but not necessarily
   * a power failure.
   */
  saveLive(
    p: { runId: string; token: string; now: number } & Omit<LiveRecord, "updatedAt">,
  ): Promise<{ held: boolean }>;
  /** The live output of a run's model, as reported by the worker that has the run. */
  getLive(runId: string): Promise<LiveRecord | null>;
  /** Extends the leases of the worker's runs. Returns the runs that it no longer has, and those to cancel. */
  extendLeases(p: {
    workerId: string;
    runs: { id: string; token: string }[];
    now: number;
    leaseMs: number;
  }): Promise<{ lost: string[]; cancelRequested: string[] }>;
  /** The running runs among these whose cancellation was requested. */
  listCancelRequested(runIds: readonly string[]): Promise<string[]>;
  /** The active runs of a worker. */
  listHeldRuns(
    workerId: string,
  ): Promise<{ id: string; token: string; target: Target; attempt: number; maxAttempts: number; crashes: number }[]>;
  /**
   * Returns the runs of an ended worker process by the given fates, each with a `worker_lost` entry that has `message`.
   * Runs that it no longer has are ignored. Counts a crash for each `isolate` and `fail`.
   */
  releaseLostRuns(p: { workerId: string; now: number; message: string; runs: LostRun[] }): Promise<void>;
  /**
   * Returns runs whose lease expired (their machine is gone) to the queue, and resolves to their number. Runs in
   * `spare` are known to be active: the store was unavailable for so long that their worker could not renew them yet.
   * Also shortens waits that became too long because the clock was set back; these are counted, too.
   */
  reconcile(now: number, spare?: ReadonlySet<string>): Promise<number>;
  /** The time at which the next waiting run of the pool is due, or `null`. With `after`, only later ones count. */
  nextAvailableAt(pool: "shared" | "isolated", after?: number): Promise<number | null>;
  /** The number of `queued` runs of the pool, regardless of concurrency limits. */
  countQueued(pool: "shared" | "isolated"): Promise<number>;
  heartbeatWorker(worker: WorkerInfo): Promise<void>;
  removeWorker(id: string): Promise<void>;
  listWorkers(p: { seenSince: number }): Promise<WorkerInfo[]>;
}

// ---- keys ----

export interface NewKey {
  id: string;
  kind: KeyKind;
  name: string;
  hint: string;
  /** SHA-256 of the key, hex. */
  hash: string;
  /** The encrypted key; only for keys that can be shown again. */
  ciphertext: string | null;
  endpoints: string[] | null;
  /** Of API tokens. */
  scope: Scope | null;
  /** Of API tokens: the owner. */
  ownerId: string | null;
  createdAt: number;
  expiresAt: number | null;
}

export interface KeyStore {
  /** `audit` is written in the same transaction. */
  createKey(key: NewKey, audit?: NewAuditEntry): Promise<Key>;
  listKeys(): Promise<Key[]>;
  /** In any state: the caller checks expiry and revocation. */
  findKeyByHash(hash: string): Promise<Key | null>;
  /** Keys that can be shown again, newest first, with their ciphertext. */
  listKeyCiphertexts(kind: KeyKind): Promise<{ key: Key; ciphertext: string }[]>;
  /** Returns `false` if there is no such key. A second revocation keeps the first time. */
  revokeKey(id: string, now: number, audit?: NewAuditEntry): Promise<boolean>;
  /**
   * Creates `next` to replace a key, which then expires at `endsAt`, or at its own expiry if that is earlier. `taken`:
   * the key is revoked, expired by `now`, or already replaced; nothing was written. Of two concurrent calls, only one
   * creates a key.
   */
  rotateKey(p: {
    id: string;
    next: NewKey;
    endsAt: number;
    now: number;
    audit?: readonly NewAuditEntry[];
  }): Promise<{ kind: "rotated"; old: Key; next: Key } | { kind: "taken"; old: Key } | { kind: "missing" }>;
  touchKey(id: string, now: number): Promise<void>;
}
