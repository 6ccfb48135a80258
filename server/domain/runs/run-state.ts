import type { RunStatus } from "../../contract/run.ts";

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
