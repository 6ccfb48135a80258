import { formatCount, formatUtc } from "../../shared/format.ts";
import { type LiveVersion, versionsToTake } from "./run-builds.ts";

/** Whether runs are due that no worker can take, and why. Readiness, doctor, metrics and alerts share these rules. */

export const pools = ["shared", "isolated"] as const;
export type Pool = (typeof pools)[number];

/** Due runs that need nothing but a worker: their targets have room. Times are UTC milliseconds. */
export interface DueRuns {
  pool: Pool;
  /** The version that accepted them; `null`: every worker of the store takes them. */
  version: string | null;
  /** At most `maxDueRuns`. */
  runs: number;
  /** When the first of them became due. */
  oldestAt: number;
}

/** Due runs are counted up to this number. */
export const maxDueRuns = 1_000;

/** A worker, as its host reports it. */
export interface WorkerState {
  /** Absent in reports of older versions, as the next two. */
  pool?: Pool | null;
  /** Whether its event loop turned a moment before the report. */
  isResponsive?: boolean | null;
  freeSlots?: number | null;
  version: string;
  keptVersions?: readonly string[];
  startedAt: number;
  seenAt: number;
  isLeaving?: boolean;
}

export const blockReasons = [
  /** No worker has reported. */
  "no_worker",
  /** Workers have reported, but none takes runs of this version. */
  "other_versions",
  /** Code blocks the event loop of every worker that takes these runs. */
  "unresponsive",
  /** Every slot of the responsive workers has a run. */
  "busy",
] as const;
export type BlockReason = (typeof blockReasons)[number];

/** Due runs that no worker can take. */
export interface BlockedRuns {
  pool: Pool;
  version: string | null;
  runs: number;
  /** When the first of them became due, UTC milliseconds. */
  since: number;
  reason: BlockReason;
  /** The number of workers that would take them. */
  workers: number;
  /** Whether no run can start at all: other workers do not respond either. */
  isOutage: boolean;
}

/** A worker reports every five seconds. */
export const workerSilenceMs = 15_000;
/** Longer than the interval of the reports, and than the wait for workers of a new version. */
const assignedWithinMs = 15_000;

/** Finds the due runs that wait for so long that a worker should have them, and that none can take. */
export function findBlockedRuns(p: {
  due: readonly DueRuns[];
  workers: readonly WorkerState[];
  now: number;
}): BlockedRuns[] {
  const alive = p.workers.filter(({ seenAt, isLeaving = false }) => !isLeaving && seenAt > p.now - workerSilenceMs);
  const live = liveVersionsOf(alive);
  return p.due.flatMap(({ pool, version, runs, oldestAt }) => {
    if (runs === 0 || oldestAt > p.now - assignedWithinMs) return [];
    const ofPool = alive.filter((worker) => (worker.pool ?? "shared") === pool);
    const takers = ofPool.filter((worker) => version === null || takes(worker, version, live));
    const reason = reasonOf(ofPool, takers);
    if (reason === null) return [];
    const isOutage = pool === "shared" && reason !== "busy" && !ofPool.some(isResponsive);
    return [{ pool, version, runs, since: oldestAt, reason, workers: takers.length, isOutage }];
  });
}

function reasonOf(ofPool: readonly WorkerState[], takers: readonly WorkerState[]): BlockReason | null {
  if (ofPool.length === 0) return "no_worker";
  if (takers.length === 0) return "other_versions";
  const responsive = takers.filter(isResponsive);
  if (responsive.length === 0) return "unresponsive";
  return responsive.every(({ freeSlots }) => freeSlots === 0) ? "busy" : null;
}

const isResponsive = (worker: WorkerState): boolean => worker.isResponsive !== false;

function liveVersionsOf(workers: readonly WorkerState[]): LiveVersion[] {
  return [...Map.groupBy(workers, ({ version }) => version)].map(([version, members]) => ({
    version,
    beganAt: Math.min(...members.map(({ startedAt }) => startedAt)),
    keptVersions: [...new Set(members.flatMap(({ keptVersions = [] }) => keptVersions))],
  }));
}

/** Whether the worker takes runs of a version; see `versionsToTake`. */
function takes(worker: WorkerState, version: string, live: readonly LiveVersion[]): boolean {
  const own = { version: worker.version, keptVersions: new Set(worker.keptVersions) };
  if (version === own.version || own.keptVersions.has(version)) return true;
  const take = versionsToTake(own, live);
  return "only" in take ? take.only.includes(version) : !take.allBut.includes(version);
}

/** `2 runs are due, and no worker can take them, since 2026-11-21 09:00:00 UTC: …` */
export function describeBlockedRuns(blocked: BlockedRuns): string {
  const { runs, since } = blocked;
  return `${describeCount(blocked)}, and no worker can take ${runs === 1 ? "it" : "them"}, since ${formatTime(since)}: ${describeReason(blocked)}.`;
}

/** `2 runs are due, the first since 2026-11-21 09:00:00 UTC.` */
export function describeDueRuns(due: DueRuns): string {
  return `${describeCount(due)}${due.runs === 1 ? "" : ", the first"} since ${formatTime(due.oldestAt)}.`;
}

function describeCount({ pool, version, runs }: Pick<DueRuns, "pool" | "version" | "runs">): string {
  const count = `${runs >= maxDueRuns ? "At least " : ""}${formatCount(runs, pool === "isolated" ? "isolated run" : "run")}`;
  return `${count}${version === null ? "" : ` of version ${version}`} ${runs === 1 ? "is" : "are"} due`;
}

const formatTime = (at: number): string => formatUtc(new Date(at).toISOString());

function describeReason({ pool, reason, workers }: BlockedRuns): string {
  switch (reason) {
    case "no_worker":
      return pool === "isolated" ? "no isolated worker has started" : "no worker has reported in the last 15 seconds";
    case "other_versions":
      return "no worker takes runs of this version";
    case "unresponsive":
      return workers === 1
        ? "code blocks the event loop of the only worker"
        : `code blocks the event loops of all ${formatCount(workers, "worker")}`;
    case "busy":
      return `all slots of ${formatCount(workers, "worker")} are taken; runs that wait for other runs can block each other`;
  }
}

/** How to fix it, for a person at the command line. */
export function fixBlockedRuns({ reason }: BlockedRuns): string {
  switch (reason) {
    case "no_worker":
      return "The log of the service says why no worker runs.";
    case "other_versions":
      return "Start a worker with this version, or deploy the version to all machines.";
    case "unresponsive":
      return "The log names the runs. Look for a loop that never awaits, or cancel the runs.";
    case "busy":
      return "Raise workers or workerConcurrency, or cancel runs that wait for other runs: `signalbox runs list --status running`.";
  }
}
