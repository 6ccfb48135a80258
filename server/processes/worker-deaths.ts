import type { ServiceNumbers } from "../domain/runs/run-tally.ts";
import { type WorkerDeath, describeDeath } from "../engine/plan-lost-runs.ts";
import type { PoolHost } from "./host-link.ts";
import { createPoolTally } from "./pool-tally.ts";
import type { Reporter, WorkerToSupervisor } from "./protocol.ts";
import { createRestartPolicy } from "./restart-policy.ts";
import type { WorkerChild } from "./worker-child.ts";

const recoverWithinMs = 1_000;

/** What follows the end of a worker process: its runs are given back, it is counted, and its successor may have to wait. */
interface WorkerDeaths {
  /** Counts what a living worker reports. */
  heard(message: Extract<WorkerToSupervisor, { type: "heartbeat" }>): void;
  /** Gives back the runs of the process. Resolves when they are, or could not be. */
  recover(child: WorkerChild, death: WorkerDeath): Promise<void>;
  /** Reports an unexpected death. Returns how long to wait before the next start, ms. */
  judge(child: WorkerChild, death: WorkerDeath): number;
  /** How workers and their runs fared since the start. */
  numbers(children: Iterable<WorkerChild>): Omit<ServiceNumbers, "webRestarts">;
  /** Resolves when the runs of all dead workers are given back, or after a second. */
  settled(): Promise<void>;
}

export function createWorkerDeaths(p: { host: Pick<PoolHost, "workerDied">; reporter: Reporter }): WorkerDeaths {
  const recoveries = new Set<Promise<void>>();
  const restarts = { shared: createRestartPolicy(), isolated: createRestartPolicy() };
  const tally = createPoolTally();

  async function giveBack(child: WorkerChild, death: WorkerDeath): Promise<void> {
    const deadlines = new Map(child.active().map(({ runId, deadlineAt }) => [runId, deadlineAt]));
    const runs = await p.host.workerDied({ workerId: child.workerId, death, deadlines });
    for (const { target, fate } of runs) tally.lost(target, fate);
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
    heard: tally.heard,
    recover(child, death) {
      tally.died(death);
      const recovery = giveBack(child, death);
      recoveries.add(recovery);
      return recovery.finally(() => recoveries.delete(recovery));
    },
    judge(child, death) {
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
      // What is not given back by then continues at the next start, or when its lease expires.
      await Promise.race([
        Promise.allSettled(recoveries),
        new Promise((resolve) => setTimeout(resolve, recoverWithinMs)),
      ]);
    },
  };
}
