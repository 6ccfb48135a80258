import type { Json } from "../contract/json.ts";
import type { StartedBy } from "../contract/run.ts";
import type { Target } from "../contract/project/target.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { NewRun, RunStore } from "../ports/store/run-store.ts";
import { newInputRun } from "./new-input-run.ts";

/** Starts a target with the caller's input. Throws AppError `not_found`, `invalid_input` or `queue_full`. */
export async function startTargetRun(
  deps: { store: Pick<RunStore, "createRuns">; project: ProjectReader; signals: Signals; clock: Clock },
  request: { target: Target; input: Json; startedBy: StartedBy },
): Promise<NewRun> {
  const run = newInputRun({ ...request, manifest: deps.project.current().manifest, now: deps.clock.now() });
  await deps.store.createRuns([run]);
  deps.signals.runsQueued();
  return run;
}
