import { type DueRuns, maxDueRuns } from "../../domain/runs/blocked-work.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { freeSlots, type HostedWorker, type HostedWorkers } from "./hosted-workers.ts";

/** Another machine with a free worker has taken them by then. */
const takenWithinMs = 1_000;

/**
 * The number of due runs that wait for this host's shared workers, because none of these responds and has a free slot.
 * 0 if no worker is connected: runs then wait for a start.
 */
export async function countBlockedRuns(p: {
  store: Pick<Store, "listDueRuns">;
  workers: HostedWorkers;
  canTakeRuns: (worker: HostedWorker) => boolean;
  clock: Clock;
}): Promise<number> {
  const shared = [...p.workers.values()].filter(({ identity }) => identity.pool === "shared");
  if (shared.length === 0 || shared.some((worker) => p.canTakeRuns(worker) && freeSlots(worker) > 0)) return 0;
  const now = p.clock.now();
  const limits = new Map(shared.flatMap(({ identity }) => identity.limits));
  const due = await p.store.listDueRuns({ pools: ["shared"], now, limits, limit: maxDueRuns });
  const versions = new Set(shared.flatMap(({ identity }) => [identity.version, ...identity.keptVersions]));
  const isOwn = ({ version }: DueRuns) => version === null || versions.has(version);
  return due
    .filter((group) => isOwn(group) && group.oldestAt <= now - takenWithinMs)
    .reduce((sum, { runs }) => sum + runs, 0);
}
