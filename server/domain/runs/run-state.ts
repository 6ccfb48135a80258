import { type RunStatus, runStatusSchema } from "../../contract/run.ts";
import type { TimelineKind } from "../../contract/timeline.ts";

/** Where a run may go from each state. A state without exits is final: it never changes. */
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

const finalStatuses: ReadonlySet<string> = new Set(runStatusSchema.options.filter(isFinal));

/**
 * Whether a run with this status, or with this entry in its timeline, has ended: the last entry of a timeline has the
 * name of the run's final status.
 */
export function isEnded(state: RunStatus | TimelineKind): boolean {
  return finalStatuses.has(state);
}
