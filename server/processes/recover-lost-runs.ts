import { readFile } from "node:fs/promises";
import type { RetryPolicy } from "../contract/project/manifest.ts";
import type { Target } from "../contract/project/target.ts";
import { type HeldRun, type WorkerDeath, describeDeath, planLostRuns } from "../engine/plan-lost-runs.ts";
import type { Clock } from "../ports/clock.ts";
import type { EngineStore, LostRun } from "../ports/store/engine-store.ts";

export interface RecoverOptions {
  store: Pick<EngineStore, "listHeldRuns" | "releaseLostRuns" | "removeWorker" | "listWorkers">;
  clock: Clock;
}

/** Gives back, at once, what a dead worker held; each run as its part in the death demands. */
export async function recoverLostRuns(
  options: RecoverOptions & {
    workerId: string;
    death: WorkerDeath;
    deadlines: ReadonlyMap<string, number>;
    policyOf: (target: Target) => RetryPolicy | null;
  },
): Promise<{ held: HeldRun[]; fates: LostRun[] }> {
  const { store, clock, workerId, death } = options;
  const held = (await store.listHeldRuns(workerId)).map((run) => ({
    ...run,
    deadlineAt: options.deadlines.get(run.id) ?? null,
  }));
  const now = clock.now();
  const fates = planLostRuns({ death, runs: held, policyOf: options.policyOf, now, random: Math.random });
  if (fates.length > 0)
    await store.releaseLostRuns({ workerId, now, message: `The worker process ${describeDeath(death)}`, runs: fates });
  await store.removeWorker(workerId);
  return { held, fates };
}

/**
 * Gives back what workers of this machine held when everything was killed, rather than waiting for their leases. Nobody
 * is blamed: nobody saw how they ended. Returns how many runs go on.
 */
export async function recoverFromLastTime(
  options: RecoverOptions & { host: string; isOwn: (workerId: string) => boolean },
): Promise<number> {
  const { store, clock, host, isOwn } = options;
  let count = 0;
  for (const worker of await store.listWorkers({ seenSince: 0 })) {
    if (worker.host !== host || isOwn(worker.id) || (await isAlive(worker))) continue;
    const held = await store.listHeldRuns(worker.id);
    const runs = held.map(({ id }) => ({ id, fate: { kind: "resume" as const } }));
    if (runs.length > 0)
      await store.releaseLostRuns({
        workerId: worker.id,
        now: clock.now(),
        message: "The service stopped during this attempt.",
        runs,
      });
    await store.removeWorker(worker.id);
    count += runs.length;
  }
  return count;
}

/**
 * A number is given to another process soon after a restart, above all in containers: ask for the worker's own id where
 * that is possible.
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
