import type { Json } from "../../contract/json.ts";
import type { Target } from "../../contract/project/target.ts";
import type { EventMatch, RunError } from "../../contract/run.ts";
import type { TimelineKind, LogLevel } from "../../contract/timeline.ts";
import type { FoundEvent, ToStoredResult } from "../../domain/runs/event-waits.ts";
import type { ToChildResult } from "../../domain/runs/child-runs.ts";
import type { FailureRun } from "../../domain/runs/failure-run.ts";
import type { DueRuns, Pool } from "../../domain/runs/blocked-work.ts";
import type { RunBuild } from "../../domain/runs/run-builds.ts";
import type { ConcurrencyLimits } from "../../domain/runs/run-limits.ts";
import type { NewRun } from "./new-run.ts";

/** One claim of a run: an attempt, or the rest of one after a sleep or a lost worker. */
export interface RunAttempt {
  id: string;
  /** The worker that it was claimed for. */
  workerId: string;
  /** Fencing token: every later write of this run must carry it. */
  token: string;
  /** No other worker claims the run before this time, unless its worker is gone. */
  leaseUntil: number;
  status: "running";
  trigger: string | null;
  attachmentId: string | null;
  target: Target;
  deliveryId: string | null;
  /** The failed run whose `onFailure` it executes. */
  failureOf: string | null;
  /** What it is about; `null`: its trigger has no key. */
  key: string | null;
  /** Id of its parent; `null`: it has none. */
  childOf: string | null;
  /** How many runs are above it: its parent, the parent of that one, and so on. */
  depth: number;
  attempt: number;
  maxAttempts: number;
  /** The attempts before a person last resumed the run; 0 if it was never resumed. */
  attemptsBefore: number;
  /** Whether this claim continues an attempt that had started (after a sleep or a lost worker). */
  isResumed: boolean;
  createdAt: number;
  /** The build that executes it. Absent: the worker's current build, which also accepted the run. */
  build?: RunBuild;
}

/** With JSON as it is stored: the process that claims a run does not read it. */
export interface ClaimedRun extends RunAttempt {
  payloadText: string | null;
  inputText: string | null;
}

export interface StepRecord {
  /** Unique in the run: the second step with the same name is `name#2`. */
  name: string;
  /** Sleeps that end before their time: `approval` by a person's decision, `event` by a delivery, `child` by a run. */
  kind: "step" | "sleep" | "approval" | "event" | "child";
  attempt: number;
  /** The start of a step's last try; the end of that try, if it failed. */
  startedAt: number;
  /** `null` for a sleep, a wait, a call or an approval that has not ended, and for a step that has failed so far. */
  finishedAt: number | null;
  /** The end of a sleep, the time at which a wait, a call or an approval times out, or of the next try of a step. */
  until: number | null;
  /** Of a step that has not completed: its FailedTries. */
  result: Json | null;
  /**
   * Its number among the completions of the run, from 1: steps, sleeps and approvals that ended, and failures that its
   * code received. Executions deliver them in this order. `null`: it is not delivered yet.
   */
  sequence: number | null;
}

/** An event that a run waits for. A wait for one of several events has one of these for each. */
export interface EventWait {
  /** The name of its step, in the form in which it is stored. */
  step: string;
  /** Its name among the events of `waitForAny`; empty: the only one. */
  branch: string;
  /** Slug of the source. */
  source: string;
  match: EventMatch;
  /** `match` in the form in which it is stored. Default: as it is. */
  storedMatch?: EventMatch;
  /** Deliveries that were received before are not considered. */
  since: number;
  /** When the wait times out. */
  until: number;
}

/** A wait whose earlier deliveries have not been searched. */
export interface WaitToSearch extends EventWait {
  runId: string;
  /** Everything that the search can miss was received later, and finds the wait. */
  isFinal: boolean;
  /** The deliveries that the run has as the events of other waits. A delivery is one event for a run. */
  used: readonly string[];
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
  | {
      to: "failed" | "timed_out" | "canceled";
      error: RunError | null;
      /** The run of `onFailure`, recorded by the same transaction: queued, with the trigger and the target of this run. */
      failureRun?: FailureRun | null;
    };

export interface ClaimRequest {
  /** The worker of the first claimed run, of the second, and so on: one for each run that may be claimed. */
  slots: readonly string[];
  now: number;
  leaseMs: number;
  limits: ConcurrencyLimits;
  /** `isolated` claims only runs that must be alone in their process; `shared` claims only the others. */
  pool: "shared" | "isolated";
  /**
   * The version of the worker's current build. With `keptVersions`, it decides which build executes a run; see
   * `chooseBuild`. If machines share a store, both select the runs for this worker; see `versionsToTake`. Absent: all
   * runs, by the worker's current build.
   */
  version?: string;
  /** The versions of the other builds that the worker's machine keeps. Default: none. */
  keptVersions?: ReadonlySet<string>;
  /** The targets (`kind:slug`) whose runs the current build executes, whichever build accepted them. Default: none. */
  latestTargets?: ReadonlySet<string>;
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
  /** The versions of the other builds that its machine keeps. Only a store that machines share stores them. */
  keptVersions?: readonly string[];
  /** The next three are `null` for a worker of an older version. */
  pool?: Pool | null;
  /** Whether its event loop turned a moment ago. */
  isResponsive?: boolean | null;
  freeSlots?: number | null;
}

/** A run below another one: its child, a child of that one, and so on. */
export interface Descendant {
  runId: string;
  target: Target;
  /** Whether it has received events. */
  hasEvents: boolean;
}

/** The progress of a run since its worker's last write. */
export interface RunProgress {
  runId: string;
  token: string;
  /** Counts the writes under this token, from 1. Default: the next number. */
  seq?: number;
  now: number;
  input?: Json;
  entries: NewTimelineEntry[];
  steps?: StepRecord[];
  /** Replaces the previous value. */
  spend?: Spend;
  /** The live output of the run's model has ended. */
  clearsLive?: boolean;
  /** Only with a transition to `waiting`: all events that the run waits for. Their steps are in `steps`. */
  waits?: readonly EventWait[];
  /** The run ends, and has waited for events that it no longer needs. */
  closesWaits?: boolean;
  /** Child runs that begin with their steps, which are in `steps`. Each has a `child`. */
  children?: readonly NewRun[];
  /** Only with a transition to `waiting`: the run also waits for child runs. */
  awaitsChildren?: boolean;
  /** The run has a parent or children, so runs are to be settled after this write. */
  hasFamily?: boolean;
  transition?: RunTransition;
}

export interface ProgressResult {
  held: boolean;
  cancelRequested: boolean;
}

/** The queued runs of a queue. */
export interface QueueDepth {
  /** The version that accepted the runs. */
  version: string;
  pool: "shared" | "isolated";
  /** `kind:slug` of the target, if its concurrent runs are limited; `null`: all others. */
  target: string | null;
  runs: number;
  /** How long the oldest has been due; 0 if there is none. */
  oldestSeconds: number;
}

export interface EngineStore {
  /**
   * Claims a due run (`queued`, or `waiting` until a past time) for each slot, oldest first. Runs that wait for a slot
   * of their key are not due. Claimed runs become `running` with a new token and a lease. `attempt` increases by one,
   * unless the run is resumed. Two claims never take the same run.
   * Also writes the timeline entry (`attempt_started` or `resumed`); its `message` says if another version than the one
   * that accepted the run executes it.
   */
  claimRuns(p: ClaimRequest): Promise<ClaimedRun[]>;
  /** The stored steps and sleeps of a run, to continue after them. */
  loadSteps(runId: string): Promise<StepRecord[]>;
  /**
   * Writes the progress of a run atomically, if the token is still valid. `held: false`: another worker has the run, or
   * it has ended; nothing was written, and the caller must stop. `cancelRequested`: a cancellation was requested. A
   * write that repeats a token and number returns `held: true` and is not written again, even if the first one ended
   * the run.
   */
  writeProgress(p: RunProgress): Promise<ProgressResult>;
  /**
   * The waits of open runs whose search can be final now, oldest first. `runId`: instead, those of this run that were
   * never searched.
   */
  listWaitsToSearch(p: { now: number; limit: number; runId?: string }): Promise<WaitToSearch[]>;
  /**
   * Ends a wait with a delivery that the search has found. `false`: the wait has ended, or its run may already have
   * another event. Default of `toResult`: `toStoredResult`.
   */
  deliverEvent(p: {
    runId: string;
    step: string;
    branch: string;
    event: FoundEvent;
    toResult?: ToStoredResult;
    now: number;
  }): Promise<boolean>;
  /** The results of the events that a run has received; see `readEventResult`. */
  listEventResults(runId: string): Promise<Json[]>;
  /** The search for a wait is complete: the next delivery ends the wait. If the search is final, it can time out. */
  finishSearch(p: { runId: string; step: string; isFinal: boolean; now: number }): Promise<void>;
  /**
   * Reports the ends of runs to their families. A parent that waits gets the result, and is due. The children of a run
   * that failed or was canceled, or whose call has timed out, are canceled. Resolves to `false` if there was nothing to
   * do. Default of `toResult`: `toChildResult`.
   */
  settleRuns(p: { now: number; limit: number; toResult?: ToChildResult }): Promise<boolean>;
  /**
   * Prepares the resume of a failed run: it waits again for the child runs that have failed; see `listCallsToReopen`.
   * Returns the ids of those that are to be resumed with it.
   */
  reopenCalls(p: { runId: string; fatalId: string | null; now: number }): Promise<string[]>;
  /** The children of a run, the oldest first, then their children, and so on. */
  listDescendants(p: { runId: string; limit: number }): Promise<Descendant[]>;
  /**
   * Replaces the live output of a run's model, if the token is still valid. It survives `kill -9`, but not necessarily
   * a power failure.
   */
  saveLive(
    p: { runId: string; token: string; now: number } & Omit<LiveRecord, "updatedAt">,
  ): Promise<{ held: boolean }>;
  /** The live output of a run's model, as reported by the worker that has the run. */
  getLive(runId: string): Promise<LiveRecord | null>;
  /** Extends the leases of these runs. Returns those that are no longer held under their token, and those to cancel. */
  extendLeases(p: {
    runs: { id: string; token: string }[];
    now: number;
    leaseMs: number;
  }): Promise<{ lost: string[]; cancelRequested: string[] }>;
  /** The running runs among these whose cancellation was requested. */
  listCancelRequested(runIds: readonly string[]): Promise<string[]>;
  /** The active runs of a worker. */
  listHeldRuns(workerId: string): Promise<
    (Pick<RunAttempt, "id" | "token" | "target" | "failureOf" | "attempt" | "maxAttempts" | "attemptsBefore"> & {
      /** The build that accepted it. */
      version: string;
      crashes: number;
    })[]
  >;
  /**
   * Returns the runs of an ended worker process by the given fates, each with a `worker_lost` entry that has `message`.
   * Runs that it no longer has are ignored. Counts a crash for each `isolate` and `fail`.
   */
  releaseLostRuns(p: { workerId: string; now: number; message: string; runs: LostRun[] }): Promise<void>;
  /**
   * Returns runs whose lease expired (their machine is unreachable) to the queue, and resolves to their number. Runs in
   * `spare` are known to be active: the store was unavailable for so long that their worker could not renew them yet.
   * Also shortens waits that became too long because the clock was set back; these are counted, too.
   */
  reconcile(now: number, spare?: ReadonlySet<string>): Promise<number>;
  /**
   * Applies the limits of a build to the runs of each key. The slots of open runs are assigned again, and freed by
   * these limits afterwards. Runs that have started keep theirs.
   */
  applyLimits(p: { limits: ConcurrencyLimits; now: number }): Promise<void>;
  /** The time at which the next waiting run of the pool is due, or `null`. With `after`, only later ones count. */
  nextAvailableAt(pool: "shared" | "isolated", after?: number): Promise<number | null>;
  /** The number of `queued` runs of the pool, regardless of concurrency limits. */
  countQueued(pool: "shared" | "isolated"): Promise<number>;
  /**
   * The due runs of the pools, `queued` or `waiting` until a past time, that need nothing but a worker. Runs whose
   * target has no room are left out. Of a target, at most `limit` runs are counted, and at most as many as have room.
   */
  listDueRuns(p: { pools: readonly Pool[]; now: number; limits: ConcurrencyLimits; limit: number }): Promise<DueRuns[]>;
  /** Statistics for /metrics. Absent if the store has no queues: machines that share it have them. */
  listQueueDepths?(): Promise<QueueDepth[]>;
  heartbeatWorker(worker: WorkerInfo): Promise<void>;
  removeWorker(id: string): Promise<void>;
  listWorkers(p: { seenSince: number }): Promise<WorkerInfo[]>;
}
