import { type RunStatus, runStatusSchema } from "../../contract/run.ts";
import type { TimelineKind } from "../../contract/timeline.ts";

/** The states that may follow each state. A state without successors is final: it never changes. */
const nextStatuses: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ["running", "canceled"],
  running: ["queued", "waiting", "completed", "failed", "canceled", "timed_out"],
  waiting: ["running", "canceled"],
  completed: [],
  failed: [],
  canceled: [],
  timed_out: [],
};

export function isFinal(status: RunStatus): boolean {
  return nextStatuses[status].length === 0;
}

export function mayBecome(from: RunStatus, to: RunStatus): boolean {
  return nextStatuses[from].includes(to);
}

/** The states of runs that can still change. */
export const openStatuses: readonly RunStatus[] = runStatusSchema.options.filter((status) => !isFinal(status));

const finalStatuses: ReadonlySet<string> = new Set(runStatusSchema.options.filter(isFinal));

/**
 * Whether a run with this status, or with this entry in its timeline, has ended: the last entry of a timeline has the
 * name of the run's final status.
 */
export function isEnded(state: RunStatus | TimelineKind): boolean {
  return finalStatuses.has(state);
}

interface CancelPlan {
  outcome: "canceled" | "requested" | "ended";
  /** The change of the run; `null`: none. */
  change: { status?: "canceled"; finishedAt?: number; cancelRequestedAt: number } | null;
  entry: { at: number; kind: "canceled" | "cancel_requested"; attempt: number } | null;
}

/** Cancels a run at once if no worker has it. For a running one, the first request is stored, and its worker ends it. */
export function planCancel(
  run: { status: RunStatus; attempt: number; cancelRequestedAt: number | null },
  now: number,
): CancelPlan {
  const { status, attempt, cancelRequestedAt } = run;
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
  return isCancelRequested && !isFinal(asked.to) ? { to: "canceled", error: null } : asked;
}
