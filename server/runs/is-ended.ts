import { type RunStatus, runStatusSchema } from "../contract/run.ts";
import type { TimelineKind } from "../contract/timeline.ts";
import { isFinal } from "../domain/runs/run-state.ts";

/** The last entry of a timeline has the name of the run's final status. */
const endings: ReadonlySet<string> = new Set(runStatusSchema.options.filter(isFinal));

/** Whether a run with this status, or with this entry in its timeline, has ended. */
export function isEnded(state: RunStatus | TimelineKind): boolean {
  return endings.has(state);
}
