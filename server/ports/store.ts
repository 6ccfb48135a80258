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
 * The ledger: deliveries, runs, steps, timelines, keys and workers. Every verb is one atomic business event; when its
 * promise resolves, what it wrote survives `kill -9` and power loss. Only who is at work (claims, leases, workers) may
 * be lost with the power: nobody is at work then. Times are UTC milliseconds going in, and ISO 8601 in what the
 * contract shapes give back. A verb that cannot be carried out now rejects with AppError `store_unavailable`.
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
  /** Rejects when the store cannot be written. */
  ping(): Promise<void>;
  /**
   * Calls the listener soon (≤ 100 ms) after another connection or process has written, and after own writes.
   * May call without need. Returns the way to stop.
   */
  watch(listener: () => void): () => void;
  /**
   * A text that is another one whenever a delivery, a run, a preset or the switch of a trigger is new or has changed,
   * and the same while workers only report that they live. Cheap: asked for after every write.
   */
  mark(): Promise<string>;
  /** The same for what models of agents are just saying. When they have ended, `mark` is another one. */
  liveMark(): Promise<string>;
  /**
   * Takes one request of every limit that is asked for, or of none where any has nothing left; for processes on all
   * machines together, by the clock of the store. What was taken may be forgotten in a crash of it. Absent where one
   * process receives: that counts by itself.
   */
  takeRates?(asked: readonly RateAsked[]): Promise<RatesTaken>;
  /** How this process fared with the store since it opened it. Costs the ledger nothing. */
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
  /** The bytes as they came; `null` where they were not kept (over the limit, not authenticated). */
  body: Uint8Array | null;
  /** Bytes received, or declared where the body was not read. */
  bodyBytes: number;
  bodySha256: string | null;
  outcome: DeliveryOutcome;
  responseStatus: number;
  problem: Problem | null;
  verdicts: Verdicts;
  durationMs: number;
  /** Id of the webhook key that authenticated it. */
  keyId: string | null;
  /** The delivery whose body was delivered again. */
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
  /** Most runs of the target that may be queued, these included; absent or `null`: no bound. Not kept. */
  maxQueued?: number | null;
  createdAt: number;
  /** What the trigger's `request` made of the body; `null` where the run starts with its input. */
  payload: Json | null;
  /** The input, where it is already known (no transform to run). */
  input: Json | null;
  keyId: string | null;
}

export interface AcceptedRun {
  runId: string;
  trigger: string;
  attachmentId: string;
  target: Target;
}

/** `target` has no room for `adds` runs more: `maxQueued` would be passed. */
export interface QueueFull {
  target: Target;
  maxQueued: number;
  adds: number;
}

export type AcceptResult =
  | { kind: "accepted" }
  /** The key was accepted before with the same body; nothing was written. `runs` in their first order. */
  | { kind: "repeated"; deliveryId: string; runs: AcceptedRun[] }
  /** The key was accepted before with another body; nothing was written. */
  | { kind: "conflict"; deliveryId: string }
  /** A target of the runs cannot take them; nothing was written. */
  | { kind: "full"; queue: QueueFull };

export interface DeliveryFilter {
  endpoint?: string;
  outcome?: DeliveryOutcome;
  responseStatus?: number;
  /** Received at this time or later. */
  since?: number;
  /** Received before this time. */
  until?: number;
  /** Only those on which the attachments of this trigger decided one of these. Best with `endpoint`. */
  verdict?: { trigger: string; outcomes: readonly VerdictOutcome[] };
  /** Only those whose body has this text (as UTF-8; ASCII letters in either case). */
  text?: string;
  redeliveryOf?: string;
}

/**
 * `limit` 1–100, newest first. A cursor that does not parse rejects with AppError `invalid_request`. Filters that no
 * index answers look through a bounded number of rows: such a page may be short, or even empty, and its `nextCursor`
 * goes on from there. Only `nextCursor: null` is the end.
 */
export interface PageRequest {
  limit: number;
  cursor: string | null;
}

export interface DeliveryStore {
  /**
   * Records a delivery and its runs in one transaction. With `idempotency`, only if no delivery with the same key was
   * accepted on the endpoint since `notBefore`; equal calls that race see exactly one `accepted`. Another body under
   * the same key is a conflict, unless it `mayDiffer`. Only a delivery whose outcome is `accepted` is remembered by its
   * key: one that was skipped or rejected is recorded, and may come again. Whether the runs fit below their `maxQueued`
   * is decided in the same transaction, so calls that race never pass it. A run that is `queued` counts, also one that
   * was handed back; those are never refused.
   */
  acceptDelivery(p: {
    delivery: NewDelivery;
    runs: NewRun[];
    idempotency: { key: string; notBefore: number; mayDiffer?: boolean } | null;
  }): Promise<AcceptResult>;
  /** Records a delivery that starts nothing. */
  recordDelivery(delivery: NewDelivery): Promise<void>;
  listDeliveries(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliverySummary>>;
  getDelivery(id: string): Promise<Delivery | null>;
  /** As they are kept: names in lower case, nothing secret. */
  getDeliveryHeaders(id: string): Promise<Record<string, string> | null>;
  /**
   * After deliveries were removed: removes what they had in common, where no delivery that is left has it. Gives how
   * many such lists.
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
  /** Created at this time or later. */
  since?: number;
  /** Created before this time. */
  until?: number;
  /** Only runs that this key started. */
  keyId?: string;
  version?: string;
  replayOf?: string;
  /** Only those whose payload or input has this text (ASCII letters in either case). */
  text?: string;
  /** Only runs of agents that have used so many tokens, or more. */
  minTokens?: number;
  /** Only runs of agents that have cost so many US dollars, or more; those whose cost is not known are left out. */
  minCostUsd?: number;
  /** Only runs that wait for a person's decision. */
  needsApproval?: true;
}

/** What stands beside the spend of runs in one index. */
export type SpendFilter = Pick<
  RunFilter,
  "trigger" | "target" | "targetKind" | "status" | "version" | "since" | "until" | "minTokens" | "minCostUsd"
>;

/** What the runs of one agent have used. */
export interface AgentSpend {
  agent: string;
  runs: number;
  /** Of `runs`, those whose cost is known. */
  pricedRuns: number;
  tokens: number;
  /** US dollars, of `pricedRuns`. */
  costUsd: number;
}

export interface RunStore {
  /**
   * Records runs that no delivery started, all or none. Each gets its `queued` timeline entry, and counts for
   * `maxQueued` (as in acceptDelivery). Rejects with AppError `queue_full`.
   */
  createRuns(runs: NewRun[]): Promise<void>;
  /**
   * The same, but those that fit, in their order. Gives the others, each with its queue; all that fit are recorded, or
   * none when it rejects.
   */
  createFittingRuns(runs: NewRun[]): Promise<{ id: string; queue: QueueFull }[]>;
  listRuns(filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>;
  /** Those of the given runs (at most 100) that are there, newest first. */
  findRuns(ids: readonly string[]): Promise<RunSummary[]>;
  getRun(id: string): Promise<(Run & { keyId: string | null }) | null>;
  /** Entries with an id greater than `after`, oldest first. */
  listTimeline(runId: string, p: { after: number; limit: number }): Promise<TimelineEntry[]>;
  /**
   * Asks a run to stop. Queued and waiting runs are `canceled` at once; of a running one it is noted, and its worker
   * ends it. `ended`: it had ended before.
   */
  requestCancel(runId: string, now: number): Promise<"canceled" | "requested" | "ended" | "missing">;
  /**
   * Decides an approval for which a run waits: its step is over, with the decision beside the request, and the run is
   * due as soon as it has no other open one. `closed`: it is decided, or the run does not wait. Writes the timeline
   * entry `approval_decided`.
   */
  decideApproval(p: {
    runId: string;
    name: string;
    decision: ApprovalDecision;
    now: number;
  }): Promise<"decided" | "closed" | "missing">;
  /**
   * What runs of agents have used together, for each agent with any. At most the newest 25,000 in the time are looked
   * at; `isCapped`: there are more.
   */
  sumSpend(filter: SpendFilter): Promise<{ agents: AgentSpend[]; isCapped: boolean }>;
  /** Numbers for /metrics and the overview. */
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
 * Deliveries to an endpoint that its triggers of this target decided about, each once: by the verdict that came
 * furthest (matched, filter, request, off).
 */
export interface TargetCount {
  endpoint: string;
  /** The slug of the target. */
  target: string;
  outcome: VerdictOutcome;
  count: number;
}

/** How a target did of late, from at most its newest 200 runs. */
export interface TargetSummary {
  target: Target;
  /** Runs since the asked time, at most 200; `isCapped`: there are more. */
  runs: number;
  isCapped: boolean;
  completed: number;
  /** `failed` and `timed_out`. */
  failed: number;
  /** `queued`, `running` and `waiting`. */
  open: number;
  /** Median of `finishedAt - startedAt` of the completed. */
  p50Ms: number | null;
  /** Whenever it was. */
  lastRun: RunSummary | null;
}

/** Times are rounded down to `bucketMs`: `since` inclusive, `until` exclusive. */
export interface TrafficWindow {
  since: number;
  until: number;
  /** A minute, or an hour: the two sizes that are kept. */
  bucketMs: 60_000 | 3_600_000;
}

export interface TrafficStore {
  /**
   * Deliveries by endpoint, bucket and outcome, oldest first; of these endpoints, or of all together with `endpoint:
   * ""`.
   */
  countDeliveries(window: TrafficWindow & { endpoints: readonly string[] | null }): Promise<DeliveryCount[]>;
  /**
   * Verdicts of the attachments on these endpoints, and deliveries by the targets of their triggers, over the whole
   * window. By the minute, they are kept for two days.
   */
  countVerdicts(
    window: TrafficWindow & { endpoints: readonly string[] },
  ): Promise<{ verdicts: VerdictCount[]; targets: TargetCount[] }>;
  /**
   * Verdicts of the attachments of one trigger on an endpoint, by bucket, oldest first. By the minute, they are kept
   * for two days.
   */
  countVerdictBuckets(window: TrafficWindow & { endpoint: string; trigger: string }): Promise<VerdictBucket[]>;
  /** In the order asked. */
  summarizeTargets(p: { targets: readonly Target[]; since: number }): Promise<TargetSummary[]>;
  /**
   * Newest runs and deliveries whose ids begin or end so; at most `limit` of each. Ends are looked for among the newest
   * 10,000.
   */
  searchIds(p: { text: string; limit: number }): Promise<{ runs: RunSummary[]; deliveries: DeliverySummary[] }>;
}

// ---- presets ----

export interface PresetStore {
  /** By name. */
  listPresets(subject: PresetSubject): Promise<Preset[]>;
  /** Takes the place of the preset of the same subject and name. */
  savePreset(p: { id: string; subject: PresetSubject; name: string; value: Json; now: number }): Promise<Preset>;
  /** `false`: there is no such preset. */
  removePreset(id: string): Promise<boolean>;
}

// ---- switches of triggers ----

export interface SwitchStore {
  /** The triggers that are switched off. Cheap: asked for in every turn in which webhooks come. */
  listDisabledTriggers(): Promise<DisabledTriggers>;
  /**
   * Switches a trigger off (`disable`) or on (`null`), whether or not there is one of this slug now. One that is off
   * already keeps its time, and its reason unless another is given. Gives whether it was off before.
   */
  switchTrigger(p: { slug: string; disable: { at: number; reason: string | null } | null }): Promise<boolean>;
}

// ---- the engine ----

export interface ClaimedRun {
  id: string;
  /** Fencing token: every later write of this run must bear it. */
  token: string;
  /** Until then nobody else takes it, unless its worker is gone. */
  leaseUntil: number;
  status: "running";
  trigger: string | null;
  attachmentId: string | null;
  target: Target;
  deliveryId: string | null;
  attempt: number;
  maxAttempts: number;
  /** Whether this claim goes on with an attempt that had begun (after a sleep or a lost worker). */
  isResumed: boolean;
  payload: Json | null;
  input: Json | null;
  createdAt: number;
}

export interface StepRecord {
  /** Unique in the run: the second use of a name is `name#2`. */
  name: string;
  /** `approval`: a sleep that a person's decision ends. */
  kind: "step" | "sleep" | "approval";
  attempt: number;
  startedAt: number;
  /** `null` for a sleep or an approval that is not over. */
  finishedAt: number | null;
  /** A sleep's end; when an approval is given up. */
  until: number | null;
  result: Json | null;
}

/** What a model is saying in a step that is not over. */
export interface LiveRecord {
  step: string;
  attempt: number;
  startedAt: number;
  updatedAt: number;
  said: Json;
}

/** What an agent's run has used since its beginning. */
export interface Spend {
  /** In and out, of all calls of the model. */
  tokens: number;
  /** US dollars; `null` where it is not known. */
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
 * A change of state that the holder of a run makes. A run that was asked to stop never goes back to `waiting` or
 * `queued`: the store makes it `canceled` instead, with that timeline entry.
 */
export type RunTransition =
  /** Back to `waiting` until `availableAt`. `sleep` goes on with the same attempt, `retry` begins the next. */
  | { to: "waiting"; reason: "sleep" | "retry"; availableAt: number }
  /** Back to `queued` at once with the same attempt: the worker is going down. */
  | { to: "queued" }
  | { to: "completed"; output: Json | null }
  | { to: "failed" | "timed_out" | "canceled"; error: RunError | null };

export interface ClaimRequest {
  workerId: string;
  limit: number;
  now: number;
  leaseMs: number;
  /**
   * Most runs of a target (`kind:slug`, e.g. `workflow:welcome-email`) that may be running at a time, over all workers.
   * Absent: no bound.
   */
  concurrency: ReadonlyMap<string, number>;
  /** `isolated` claims only runs that must be alone in their process; `shared` claims only the others. */
  pool: "shared" | "isolated";
  /**
   * Of the worker's build. Where machines share a store it says which runs are for it; see `versionsToTake`. Absent:
   * all are.
   */
  version?: string;
}

export interface LostRun {
  id: string;
  /**
   * `resume`: goes on with the same attempt. `isolate`: the same, but alone in a process. `fail`: the attempt failed by
   * its own fault.
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
  /** It takes no more runs, and ends those that it has. */
  isLeaving?: boolean;
}

export interface EngineStore {
  /**
   * Takes up to `limit` runs that are due (`queued`, or `waiting` whose time has come), oldest first, and makes them
   * `running` under a new token with a lease. `attempt` grows by one, unless the run is resumed. Two claims never take
   * the same run. Writes the timeline entry (`attempt_started` or `resumed`) as well; its `message` says where another
   * version accepted the run.
   */
  claimRuns(p: ClaimRequest): Promise<ClaimedRun[]>;
  /** Stored steps and sleeps of a run, to go on after them. */
  loadSteps(runId: string): Promise<StepRecord[]>;
  /**
   * Writes what a run did, all or nothing, if the token still holds it. `held: false`: another worker has it, or it
   * ended; nothing was written, and the caller must stop. `cancelRequested`: somebody asked it to stop.
   */
  writeProgress(p: {
    runId: string;
    token: string;
    now: number;
    input?: Json;
    entries: NewTimelineEntry[];
    steps?: StepRecord[];
    /** Takes the place of what stood there. */
    spend?: Spend;
    /** What the run's model was saying is over. */
    clearsLive?: boolean;
    transition?: RunTransition;
  }): Promise<{ held: boolean; cancelRequested: boolean }>;
  /**
   * Shows what a run's model has said so far, in the place of what it had said before, if the token still holds the
   * run. It survives `kill -9`, and need not survive the power.
   */
  saveLive(
    p: { runId: string; token: string; now: number } & Omit<LiveRecord, "updatedAt">,
  ): Promise<{ held: boolean }>;
  /** What the model of a run is just saying, as told by whoever holds it now. */
  getLive(runId: string): Promise<LiveRecord | null>;
  /** Lengthens the leases of runs that are still held; names those that are not, and those asked to stop. */
  extendLeases(p: {
    workerId: string;
    runs: { id: string; token: string }[];
    now: number;
    leaseMs: number;
  }): Promise<{ lost: string[]; cancelRequested: string[] }>;
  /** Which of these run, and were asked to stop. */
  listCancelRequested(runIds: readonly string[]): Promise<string[]>;
  /** Runs that a worker holds now. */
  listHeldRuns(
    workerId: string,
  ): Promise<{ id: string; token: string; target: Target; attempt: number; maxAttempts: number; crashes: number }[]>;
  /**
   * After a worker process ended: gives its runs back as told, each with a `worker_lost` entry that bears `message`.
   * Runs that it does not hold any more are left alone. Counts a crash for each `isolate` and `fail`.
   */
  releaseLostRuns(p: { workerId: string; now: number; message: string; runs: LostRun[] }): Promise<void>;
  /**
   * Gives back runs whose lease ran out (their whole machine is gone). Returns how many. Those to `spare` are known to
   * go on: nothing could be written for so long that their worker has not renewed them yet. Also shortens waits that a
   * clock which was set back has made longer than was asked for; they are counted, too.
   */
  reconcile(now: number, spare?: ReadonlySet<string>): Promise<number>;
  /**
   * When the next waiting run is due, or `null`. For the isolated ones, ask with that pool. With `after`, of those due
   * later than that.
   */
  nextAvailableAt(pool: "shared" | "isolated", after?: number): Promise<number | null>;
  /** Runs of the pool that are `queued`: those that a worker could take now, but for bounds on concurrency. */
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
  /** The key, encrypted; only for keys that must be shown again. */
  ciphertext: string | null;
  endpoints: string[] | null;
  /** Of API tokens. */
  scope: Scope | null;
  /** Of API tokens: whose it is. */
  ownerId: string | null;
  createdAt: number;
  expiresAt: number | null;
}

export interface KeyStore {
  /** `audit` is written in the same transaction. */
  createKey(key: NewKey, audit?: NewAuditEntry): Promise<Key>;
  listKeys(): Promise<Key[]>;
  /** Whatever its state: the caller looks at expiry and revocation. */
  findKeyByHash(hash: string): Promise<Key | null>;
  /** Keys that can be shown again, newest first, with their ciphertext. */
  listKeyCiphertexts(kind: KeyKind): Promise<{ key: Key; ciphertext: string }[]>;
  /** `false`: there is no such key. Revoking twice keeps the first time. */
  revokeKey(id: string, now: number, audit?: NewAuditEntry): Promise<boolean>;
  /**
   * Makes `next` in the place of a key, which ends at `endsAt`, or when it would have ended anyway if that is earlier.
   * `taken`: it is revoked, has expired by `now`, or was replaced before; nothing was written. Two calls that race
   * never both make a key.
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
