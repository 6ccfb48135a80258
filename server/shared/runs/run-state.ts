import type { RunStatus } from "../../contract/run.ts";
import type { TimelineKind } from "../../contract/timeline.ts";

/**
 * The states that may follow each state. Only a person's resume returns a failed run to the queue, with the children
 * that were canceled with it; see resume.ts.
 */
const nextStatuses: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ["running", "canceled"],
  running: ["queued", "waiting", "completed", "failed", "canceled", "timed_out"],
  waiting: ["running", "canceled"],
  completed: [],
  failed: ["queued"],
  canceled: [],
  timed_out: ["queued"],
};

export function mayBecome(from: RunStatus, to: RunStatus): boolean {
  return nextStatuses[from].includes(to);
}

const endedStatuses: ReadonlySet<string> = new Set<RunStatus>(["completed", "failed", "canceled", "timed_out"]);

/**
 * Whether a run with this status has ended, or whether this entry of a timeline ended the run. If the run was not
 * resumed afterwards, it is the last entry, and has the name of the run's status.
 */
export function isEnded(state: RunStatus | TimelineKind): boolean {
  return endedStatuses.has(state);
}

/** The states of runs that continue by themselves. */
export const openStatuses: readonly RunStatus[] = (Object.keys(nextStatuses) as RunStatus[]).filter(
  (status) => !isEnded(status),
);

/** The states of runs that a person may have to recover. */
export const failedStatuses: readonly RunStatus[] = ["failed", "timed_out"];

export function hasFailed(status: RunStatus): boolean {
  return failedStatuses.includes(status);
}

/**
 * Whether a person can resume a run: it failed, and has no replay. A canceled run stays canceled, because a person has
 * decided so.
 */
export function canResume({ status, replayedAs }: { status: RunStatus; replayedAs: string | null }): boolean {
  return hasFailed(status) && replayedAs === null;
}

/** `released`: the run had failed and blocked its key. */
export type CancelOutcome = "canceled" | "requested" | "released" | "ended";

interface CancelPlan {
  outcome: CancelOutcome;
  /** The change of the run; `null`: none. */
  change: { status?: "canceled"; finishedAt?: number; cancelRequestedAt: number } | null;
  entry: { at: number; kind: "canceled" | "cancel_requested" | "key_released"; attempt: number } | null;
}

/**
 * Cancels a run at once if no worker has it. For a running one, the first request is stored, and its worker ends it. A
 * failed run that blocks its key stays failed, and blocks it no longer.
 */
export function planCancel(
  run: { status: RunStatus; attempt: number; cancelRequestedAt: number | null; keySlot?: string | null },
  now: number,
): CancelPlan {
  const { status, attempt, cancelRequestedAt, keySlot = null } = run;
  if (hasFailed(status) && keySlot !== null)
    return { outcome: "released", change: null, entry: { at: now, kind: "key_released", attempt } };
  if (!mayBecome(status, "canceled")) return { outcome: "ended", change: null, entry: null };
  if (status !== "running")
    return {
      outcome: "canceled",
      change: { status: "canceled", finishedAt: now, cancelRequestedAt: now },
      entry: { at: now, kind: "canceled", attempt },
    };
  if (cancelRequestedAt !== null) return { outcome: "requested", change: null, entry: null };
  return {
    outcome: "requested",
    change: { cancelRequestedAt: now },
    entry: { at: now, kind: "cancel_requested", attempt },
  };
}

/**
 * How a run leaves `running`: as its worker asks. But a run whose cancellation was requested never returns to `waiting`
 * or `queued`, where no worker would end it: it is canceled.
 */
export function resolveTransition<Asked extends { to: RunStatus }>(
  asked: Asked,
  { isCancelRequested }: { isCancelRequested: boolean },
): Asked | { to: "canceled"; error: null } {
  if (!mayBecome("running", asked.to)) throw new Error(`A running run cannot become ${asked.to}`);
  return isCancelRequested && !isEnded(asked.to) ? { to: "canceled", error: null } : asked;
}
