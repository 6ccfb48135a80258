import type { Target } from "../../contract/project/target.ts";
import { createRunTally, type ServiceNumbers } from "../../domain/tallies.ts";
import type { WorkerDeath } from "../../engine/plan-lost-runs.ts";
import type { LostRun } from "../../ports/store/engine-store.ts";
import type { RunEndedReport, RunStartedReport } from "../protocol.ts";
import type { WorkerChild } from "../worker/worker-child.ts";

/** Counts the runs that workers report. The counts are kept when a worker ends. */
export interface PoolTally {
  recordReport(report: { ended: readonly RunEndedReport[]; started?: readonly RunStartedReport[] }): void;
  recordDeath(death: WorkerDeath): void;
  /** Counts an attempt that ended its worker, which therefore cannot report it. */
  recordLostRun(target: Target, fate: LostRun["fate"]): void;
  read(children: Iterable<WorkerChild>): Omit<ServiceNumbers, "webRestarts">;
}

export function createPoolTally(): PoolTally {
  const runs = createRunTally();
  const ended = { retired: 0, killed: 0, stopped: 0, crashed: 0, blocked: 0 };
  return {
    recordReport(report) {
      for (const run of report.started ?? []) runs.started(run);
      for (const { target, status, error, durationMs } of report.ended)
        runs.ended({ target, status, hasFailed: error !== null, durationMs });
    },
    recordDeath: ({ kind }) => void (ended[kind === "requested" ? "retired" : kind] += 1),
    recordLostRun(target, fate) {
      if (fate.kind === "fail") runs.ended({ target, status: fate.transition.to, hasFailed: true, durationMs: null });
    },
    read(children) {
      const ready = { shared: 0, isolated: 0 };
      const rssBytes = { shared: 0, isolated: 0 };
      for (const child of children) {
        if (!child.isReady()) continue;
        ready[child.pool] += 1;
        rssBytes[child.pool] += child.rssBytes();
      }
      return { runs: runs.read(), workers: { ready, rssBytes, ended: { ...ended } } };
    },
  };
}
