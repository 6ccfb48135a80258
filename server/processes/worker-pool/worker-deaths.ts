import type { ServiceNumbers } from "../../domain/tallies.ts";
import { type WorkerDeath, describeDeath } from "../../engine/plan-lost-runs.ts";
import type { PoolHost } from "../receiver/host-link.ts";
import { createPoolTally } from "./pool-tally.ts";
import type { Reporter, WorkerToSupervisor } from "../protocol.ts";
import { createRestartPolicy } from "./restart-policy.ts";
import type { WorkerChild } from "../worker/worker-child.ts";

const maxRecoverMs = 1_000;

/** Handles the end of worker processes: recovers their runs, counts the ends, and delays restarts. */
interface WorkerDeaths {
  /** Counts the runs that a worker reports. */
  recordReport(message: Extract<WorkerToSupervisor, { type: "heartbeat" }>): void;
  /** Recovers the runs of the process. Resolves when they are recovered, or could not be. */
  recover(child: WorkerChild, death: WorkerDeath): Promise<void>;
  /** Reports an unexpected death. Returns the milliseconds to wait before the next start. */
  reportUnexpected(child: WorkerChild, death: WorkerDeath): number;
  /** The counts of workers and their runs since the start. */
  numbers(children: Iterable<WorkerChild>): Omit<ServiceNumbers, "webRestarts">;
  /** Resolves when the runs of all dead workers are recovered, or after a second. */
  settled(): Promise<void>;
}

export function createWorkerDeaths(p: { host: Pick<PoolHost, "workerDied">; reporter: Reporter }): WorkerDeaths {
  const recoveries = new Set<Promise<void>>();
  const restarts = { shared: createRestartPolicy(), isolated: createRestartPolicy() };
  const tally = createPoolTally();

  async function recoverRuns(child: WorkerChild, death: WorkerDeath): Promise<void> {
    const deadlines = new Map(child.active().map(({ runId, deadlineAt }) => [runId, deadlineAt]));
    const runs = await p.host.workerDied({ workerId: child.workerId, death, deadlines });
    for (const { target, fate } of runs) tally.recordLostRun(target, fate);
  }

  function describeLoss(child: WorkerChild, death: WorkerDeath): string {
    const runs = child.active().map(({ runId }) => runId);
    const had =
      runs.length > 0
        ? ` It ran ${runs.slice(0, 3).join(", ")}${runs.length > 3 ? ` and ${runs.length - 3} more` : ""}.`
        : "";
    const isLoop =
      restarts[child.pool].failedStarts() > 2
        ? " This happens repeatedly: runs wait until a worker keeps running."
        : "";
    return `A worker process ${child.isReady() ? "" : "could not start: it "}${describeDeath(death)}${had}${isLoop}`;
  }

  return {
    recordReport: tally.recordReport,
    recover(child, death) {
      tally.recordDeath(death);
      const recovery = recoverRuns(child, death);
      recoveries.add(recovery);
      return recovery.finally(() => recoveries.delete(recovery));
    },
    reportUnexpected(child, death) {
      const pauseMs = restarts[child.pool].pauseAfter({
        startedAt: child.startedAt,
        readyAt: child.readyAt(),
        endedAt: performance.now(),
        isOwnFault: death.kind === "crashed" || death.kind === "blocked",
        hadWork: child.active().length > 0,
      });
      p.reporter.notice(child.isReady() ? "warn" : "error", describeLoss(child, death));
      return pauseMs;
    },
    numbers: tally.read,
    async settled() {
      // Runs that are not recovered by then continue at the next start, or when their leases expire.
      await Promise.race([Promise.allSettled(recoveries), new Promise((resolve) => setTimeout(resolve, maxRecoverMs))]);
    },
  };
}
