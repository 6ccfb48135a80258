import { readFile } from "node:fs/promises";
import {
  type ExecutingBuild,
  type HeldRun,
  type RunOfBuild,
  type WorkerDeath,
  describeDeath,
  planLostRuns,
} from "../../engine/plan-lost-runs.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EngineStore, LostRun } from "../../ports/store/engine-store.ts";

export interface RecoverOptions {
  store: Pick<EngineStore, "listHeldRuns" | "releaseLostRuns" | "removeWorker" | "listWorkers">;
  clock: Clock;
}

export interface RecoveredRun extends HeldRun {
  fate: LostRun["fate"];
}

/** Finds the builds that executed these runs, for the retries and the `onFailure` of their targets. */
export type FindBuilds = (runs: readonly RunOfBuild[]) => Promise<(run: RunOfBuild) => ExecutingBuild>;

/** Recovers the runs of a dead worker immediately. `planLostRuns` decides the fate of each. */
export async function recoverLostRuns(
  options: RecoverOptions & {
    workerId: string;
    death: WorkerDeath;
    /** When the attempts time out, by the run's id. */
    deadlines: ReadonlyMap<string, number>;
    findBuilds: FindBuilds;
  },
): Promise<RecoveredRun[]> {
  const { store, clock, workerId, death } = options;
  const held = (await store.listHeldRuns(workerId)).map((run) => ({
    ...run,
    deadlineAt: options.deadlines.get(run.id) ?? null,
  }));
  const buildOf = await options.findBuilds(held);
  const now = clock.now();
  const fates = planLostRuns({ death, runs: held, buildOf, now, random: Math.random });
  if (fates.length > 0)
    await store.releaseLostRuns({ workerId, now, message: `The worker process ${describeDeath(death)}`, runs: fates });
  await store.removeWorker(workerId);
  const fateOf = new Map(fates.map(({ id, fate }) => [id, fate]));
  return held.flatMap((run) => {
    const fate = fateOf.get(run.id);
    return fate ? [{ ...run, fate }] : [];
  });
}

/** Recovers runs that no worker or run failed: they continue with the same attempt. */
export async function resumeRuns(
  { store, clock }: RecoverOptions,
  p: { workerId: string; ids: readonly string[]; message: string },
): Promise<void> {
  if (p.ids.length === 0) return;
  await store.releaseLostRuns({
    workerId: p.workerId,
    now: clock.now(),
    message: p.message,
    runs: p.ids.map((id) => ({ id, fate: { kind: "resume" } })),
  });
}

/**
 * Recovers the runs of workers of this machine that ended together with their service, without waiting for their
 * leases. Returns the number of runs that continue.
 */
export async function recoverStoppedServices(
  options: RecoverOptions & { machine: string; isOwn: (workerId: string) => boolean },
): Promise<number> {
  const { store, machine, isOwn } = options;
  let count = 0;
  for (const worker of await store.listWorkers({ seenSince: 0 })) {
    if (worker.host !== machine || isOwn(worker.id) || (await isAlive(worker))) continue;
    const ids = (await store.listHeldRuns(worker.id)).map(({ id }) => id);
    await resumeRuns(options, { workerId: worker.id, ids, message: "The service stopped during this attempt." });
    await store.removeWorker(worker.id);
    count += ids.length;
  }
  return count;
}

/**
 * Whether the worker still runs. A process ID is reused soon after a restart, above all in containers. So the process
 * is also checked for the worker's own ID, if its environment can be read.
 */
async function isAlive(worker: { id: string; pid: number }): Promise<boolean> {
  try {
    process.kill(worker.pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  const environment = await readFile(`/proc/${worker.pid}/environ`, "utf8").catch(() => null);
  return environment === null || environment.includes(worker.id);
}
