import type { RunFilterFields, SpendFilterFields } from "../../contract/filters.ts";
import type { StoreFilter } from "../../domain/store-filter.ts";
import type { ApprovalDecision } from "../../contract/agent/trace.ts";
import type { PageRequest, Page } from "../../contract/list.ts";
import type { Target } from "../../contract/project/target.ts";
import type { RunStatus, RunSummary, Run } from "../../contract/run.ts";
import type { TimelineEntry } from "../../contract/timeline.ts";
import type { Obstacle } from "../../domain/runs/resume.ts";
import type { CancelOutcome } from "../../shared/runs/run-state.ts";
import type { StepRecord } from "./engine-store.ts";
import type { NewRun } from "./new-run.ts";
import type { ConcurrencyLimits, RunLimits } from "../../domain/runs/run-limits.ts";
import type { StartedRun, StartKey } from "../../domain/runs/start-key.ts";

/** `adds` more runs of `target` would exceed `maxQueued`. */
export interface QueueFull {
  target: Target;
  maxQueued: number;
  adds: number;
}

/** A run that was not recorded: its queue is full, or the run that it replays does not allow it. */
export type LeftRun = { id: string } & ({ queue: QueueFull } | { obstacle: Obstacle | "missing" });

/** A failed run, with the facts of the build that continues it. */
export interface RunToResume extends RunLimits {
  id: string;
  target: Target;
  version: string;
  /** The attempts that it gets. */
  attempts: number;
  /** The last attempt as the caller read it: a run that was resumed since then is left alone. */
  seenAttempt: number;
  /** It is resumed with its parent, even if it was canceled with it. */
  isWithParent?: boolean;
}

/** `null`: the run was resumed. */
export type NotResumed = { queue: QueueFull } | { obstacle: Obstacle | "missing" };

export type RunFilter = StoreFilter<RunFilterFields> & {
  /** Only runs that this key started. */
  keyId?: string;
};

export type SpendFilter = StoreFilter<SpendFilterFields>;

/** Runs with this status that were created in one bucket of time. */
interface RunBucket {
  /** Start of the bucket, UTC milliseconds. */
  at: number;
  status: RunStatus;
  count: number;
}

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

/** What a run waits for, and whether others wait for it; see RunSummary. */
export type RunWaits = Pick<RunSummary, "waitsFor" | "blocksKey">;

export interface RunStore {
  /**
   * Records runs that no delivery started, all or none. Each gets its `queued` timeline entry (an assigned run also
   * `attempt_started`) and counts towards `maxQueued` (as in acceptDelivery). Rejects with AppError `queue_full`.
   */
  createRuns(runs: NewRun[]): Promise<void>;
  /**
   * The same for a request with an idempotency key. Returns the runs of the first request with this key, and records
   * nothing, if there was one in the last 24 hours; otherwise `null`. Of concurrent requests with one key, one is the
   * first. Rejects with AppError `queue_full`, which does not use up the key, or `idempotency_conflict`.
   */
  createRunsOnce(runs: NewRun[], key: StartKey): Promise<StartedRun[] | null>;
  /**
   * The same, but records only the runs that fit, in order. Returns the others, each with the reason. If it rejects, no
   * run is recorded.
   */
  createFittingRuns(runs: NewRun[]): Promise<LeftRun[]>;
  listRuns(filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>;
  /** The existing runs among the given ids (at most 100), newest first. */
  findRuns(ids: readonly string[]): Promise<RunSummary[]>;
  /** What these runs wait for. Runs that wait for nothing but their time or a worker are not in it. */
  findWaits(p: { ids: readonly string[]; limits: ConcurrencyLimits; now: number }): Promise<Map<string, RunWaits>>;
  getRun(id: string): Promise<(Run & { keyId: string | null }) | null>;
  /** Entries with an id greater than `after`, oldest first. */
  listTimeline(runId: string, p: { after: number; limit: number }): Promise<TimelineEntry[]>;
  /**
   * The steps, sleeps and approvals of a run after a position, in the order of their starts. With `name`, only the one
   * with this name.
   */
  listSteps(
    runId: string,
    p: { name?: string | undefined; after: number; limit: number },
  ): Promise<(StepRecord & { position: number })[]>;
  /**
   * Cancels a run. Queued and waiting runs are `canceled` immediately. For a running one, the request is stored and its
   * worker ends it. `released`: the run had failed, and blocks its key no longer. `ended`: it had already ended.
   */
  requestCancel(runId: string, now: number): Promise<CancelOutcome | "missing">;
  /**
   * Resumes failed runs: each returns to the queue of its build, with its steps and its input (see `planResume`), and
   * counts towards `maxQueued`. Writes the timeline entry `resume_requested`. Returns for each run, in order, why it
   * was not resumed; `null`: it was. If it rejects, no run is resumed.
   */
  resumeRuns(runs: readonly RunToResume[], now: number): Promise<(NotResumed | null)[]>;
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
  /**
   * Runs of the filter by bucket and status, in no order. The newest are counted first, for a limited time: all that
   * were created since `countedSince` are counted; `null`: all are. The starts of buckets are multiples of `bucketMs`.
   */
  countRuns(filter: RunFilter, bucketMs: number): Promise<{ buckets: RunBucket[]; countedSince: number | null }>;
  /** Statistics for /metrics and the overview. */
  countOpenRuns(): Promise<{ queued: number; running: number; waiting: number }>;
}
