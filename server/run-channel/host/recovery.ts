import { findBuilt, targetName } from "../../contract/project/target.ts";
import type { Mode } from "../../config.ts";
import type { Manifest, ManifestWorkflow } from "../../contract/project/manifest.ts";
import { chooseBuild, latestTargetsOf } from "../../domain/runs/run-builds.ts";
import { describeDeath, type RunOfBuild, type WorkerDeath } from "../../engine/plan-lost-runs.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Logger, targetLogFields } from "../../ports/logger.ts";
import type { EngineStore } from "../../ports/store/engine-store.ts";
import {
  type FindBuilds,
  type RecoveredRun,
  recoverLostRuns,
  type RecoverOptions,
  recoverStoppedServices,
} from "./recover-lost-runs.ts";

export interface RecoveryOptions {
  store: RecoverOptions["store"] & Pick<EngineStore, "reconcile">;
  /** The current build. Runs continue on the builds that accepted them; see `chooseBuild`. */
  readManifest: () => Promise<Manifest | null>;
  /** A build that this machine keeps; `null`: it does not. */
  readBuild: (version: string) => Promise<Manifest | null>;
  mode: Mode;
  /** The runs of living workers: their leases are not expired, even if they could not be extended. */
  activeRunIds: () => ReadonlySet<string>;
  isOwn: (workerId: string) => boolean;
  /** Whether a lease may expire soon: a worker with runs sends no messages. */
  isUrgent: () => boolean;
  machine: string;
  leaseMs: number;
  reconcileEveryMs: number;
  clock: Clock;
  logger: Logger;
  /** Called when runs can be claimed again. */
  onReleased: () => void;
  /** Called when runs of a service that ended on this machine continue. */
  onTakenOver: (count: number) => void;
}

interface Recovery {
  /** Recovers the runs of services that ended on this machine, then checks for lost runs periodically. */
  start(): Promise<void>;
  workerDied(p: LostWorker): Promise<RecoveredRun[]>;
  findBuilds: FindBuilds;
  close(): void;
}

export interface LostWorker {
  workerId: string;
  death: WorkerDeath;
  /** When the attempts time out, by the run's id. */
  deadlines: ReadonlyMap<string, number>;
}

/** Further checks: processes that were killed a moment ago may not have ended yet. */
const recheckAfterMs = [250, 1_000];
const urgentEveryMs = 1_000;
const maxAttempts = 10;
const maxAttemptsAtClose = 2;

/** Recovers runs whose worker or machine has ended. */
export function createRecovery(p: RecoveryOptions): Recovery {
  const { store, clock, logger } = p;
  const leaseTrust = createLeaseTrust({ leaseMs: p.leaseMs });
  const timers = new Set<NodeJS.Timeout>();
  let manifest: Manifest | null = null;
  let isClosed = false;

  async function takeOver(): Promise<void> {
    const count = await recoverStoppedServices({ store, clock, machine: p.machine, isOwn: p.isOwn });
    if (count === 0) return;
    p.onTakenOver(count);
    p.onReleased();
  }

  async function reconcile(): Promise<void> {
    // If this process was delayed, messages of the workers may be unread. They are read first.
    await new Promise(setImmediate);
    const count = await leaseTrust.watch(async () => {
      const expired = leaseTrust.mayTrust() ? await store.reconcile(clock.now(), p.activeRunIds()) : 0;
      await takeOver();
      return expired;
    });
    if (count > 0) p.onReleased();
  }

  function repeatReconcile(): void {
    const everyMs = Math.min(urgentEveryMs, p.reconcileEveryMs);
    let isBusy = false;
    let waitedMs = 0;
    const timer = setInterval(() => {
      waitedMs += everyMs;
      if (isBusy || isClosed || (waitedMs < p.reconcileEveryMs && !p.isUrgent())) return;
      waitedMs = 0;
      isBusy = true;
      void reconcile()
        .catch((error: unknown) => logger.warn("lost run check failed, retrying", { error }))
        .finally(() => (isBusy = false));
    }, everyMs);
    timers.add(timer);
  }

  async function findBuilds(runs: readonly RunOfBuild[]): ReturnType<FindBuilds> {
    // Runs continue even if the build cannot be read.
    manifest = (await p.readManifest().catch(() => null)) ?? manifest;
    const current = manifest;
    const kept = new Map<string, Manifest>();
    for (const accepting of new Set(runs.map((run) => run.version))) {
      const build = accepting === current?.version ? null : await p.readBuild(accepting);
      if (build) kept.set(accepting, build);
    }
    const builds = {
      version: current?.version ?? "",
      keptVersions: new Set(kept.keys()),
      latestTargets: new Set(current ? latestTargetsOf(current, p.mode) : []),
    };
    return ({ version: accepting, target }) => {
      const { version } = chooseBuild({ version: accepting, target: targetName(target) }, builds) ?? builds;
      const build = kept.get(version) ?? current;
      return { version, target: (build && findBuilt<ManifestWorkflow>(build, target)) ?? null };
    };
  }

  async function recover({ workerId, death, deadlines }: LostWorker): Promise<RecoveredRun[]> {
    const runs = await recoverLostRuns({ store, clock, workerId, death, deadlines, findBuilds });
    for (const { id, target, attempt, fate } of runs)
      if (fate.kind === "fail")
        logger.warn("attempt ended its worker", {
          runId: id,
          ...targetLogFields(target),
          attempt,
          how: describeDeath(death),
        });
    return runs;
  }

  return {
    async start() {
      await takeOver();
      for (const delayMs of recheckAfterMs) {
        const check = () =>
          takeOver().catch((error: unknown) =>
            logger.warn("could not look up runs of dead workers, retrying", { error }),
          );
        timers.add(setTimeout(() => void (isClosed || check()), delayMs));
      }
      manifest = await p.readManifest();
      repeatReconcile();
    },
    async workerDied(lost) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const runs = await recover(lost);
          if (!isClosed) p.onReleased();
          return runs;
        } catch (error) {
          if (attempt >= (isClosed ? maxAttemptsAtClose : maxAttempts)) {
            logger.error(
              "could not return the runs of a dead worker to the queue, they continue when its lease expires",
              { workerId: lost.workerId, error },
            );
            return [];
          }
          await new Promise((resolve) => setTimeout(resolve, Math.min(2_000, 50 * 2 ** attempt)));
        }
      }
    },
    findBuilds,
    close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

// ---- whether leases can be trusted ----

interface LeaseTrust {
  /** Runs a query of the store, and records when the store was unreachable. */
  watch<Result>(query: () => Promise<Result>): Promise<Result>;
  /** Whether an expired lease shows that its worker has ended. */
  mayTrust(): boolean;
}

/**
 * While the store is unreachable, no lease can be extended. When it is reachable again, all leases have expired, also
 * those of workers that execute steps. These workers get the duration of one lease to extend theirs. The same applies
 * after the start of this process.
 */
export function createLeaseTrust({
  leaseMs,
  now = () => performance.now(),
}: {
  leaseMs: number;
  now?: () => number;
}): LeaseTrust {
  let unavailableAt = now();
  return {
    async watch(query) {
      const startedAt = now();
      try {
        return await query();
      } catch (error) {
        unavailableAt = now();
        throw error;
      } finally {
        // Renewals were delayed as well.
        if (now() - startedAt > leaseMs / 3) unavailableAt = now();
      }
    },
    mayTrust: () => now() - unavailableAt >= leaseMs,
  };
}
