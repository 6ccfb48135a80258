import type { FlowSimulation, FlowSimulationOptions } from "../contract/flow-simulation.ts";
import type { RunSummary } from "../contract/run.ts";
import { type RecordedRun, simulateLimits } from "../domain/runs/simulate-limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { hasFailed } from "../shared/runs/run-state.ts";
import { exportRunSummaries } from "./filtered-runs.ts";
import { findTarget } from "./get-target.ts";

const maxSimulated = 100_000;
const dayMs = 86_400_000;

/**
 * Tries limits on the recorded runs of a workflow or an agent. Changes nothing. Throws AppError `not_found` if the
 * current build has no such target.
 */
export async function simulateFlow(
  deps: { store: Pick<RunStore, "listRuns">; project: ProjectReader; clock: Clock },
  request: FlowSimulationOptions & { target: string },
): Promise<FlowSimulation> {
  const { target, targetKind = "workflow", limit = null, perKey = null, onFailure = "continue", days = 7 } = request;
  findTarget(deps.project.current().manifest, { kind: targetKind, slug: target });
  const now = deps.clock.now();
  const runs: RecordedRun[] = [];
  let isCapped = false;
  for await (const page of exportRunSummaries(deps, { target, targetKind, since: now - days * dayMs })) {
    runs.push(...page.flatMap((run) => toRecorded(run, now)));
    isCapped = runs.length > maxSimulated;
    if (isCapped) break;
  }
  // Newest first.
  const simulated = runs.slice(0, maxSimulated).reverse();
  return { ...simulateLimits(simulated, { limit, perKey, onFailure }), isCapped };
}

/** Runs of `onFailure` have no limits, and runs that never started took no time. */
function toRecorded(run: RunSummary, now: number): RecordedRun[] {
  if (run.failureOf !== null || run.startedAt === null) return [];
  const startedAt = Date.parse(run.startedAt);
  const endedAt = run.finishedAt === null ? now : Date.parse(run.finishedAt);
  // It took no time while it had failed.
  const executedSince = Math.max(startedAt, run.resumedAt === null ? 0 : Date.parse(run.resumedAt));
  return [
    {
      id: run.id,
      key: run.key,
      createdAt: Date.parse(run.createdAt),
      startedAt,
      durationMs: Math.max(0, endedAt - executedSince),
      hasFailed: hasFailed(run.status),
      isReplay: run.replayOf !== null,
    },
  ];
}
