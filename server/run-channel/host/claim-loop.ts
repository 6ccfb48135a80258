import type { Clock } from "../../ports/clock.ts";
import { type Logger, runLogFields } from "../../ports/logger.ts";
import type { AssignedRun } from "../../ports/run-channel.ts";
import type { Store } from "../../ports/store.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
import { formatAssign, type WorkerIdentity } from "../messages.ts";
import { createAlarm } from "./alarm.ts";
import { type HostedWorker, type HostedWorkers, isResponsive } from "./hosted-worker.ts";
import { type ClaimGroup, groupSlots } from "./slots.ts";

interface ClaimLoopOptions {
  store: Pick<Store, "claimRuns" | "extendLeases" | "loadSteps" | "nextAvailableAt" | "getDeliveryHeaders">;
  workers: HostedWorkers;
  /** Workers that are assigned nothing for now, by id. */
  held: ReadonlySet<string>;
  leaseMs: number;
  clock: Clock;
  logger: Logger;
}

/** What a run needs besides its row. */
type Needs = Pick<AssignedRun, "steps" | "headers">;

interface ClaimLoop {
  /** Signals that a run may be due, or that a slot is free. Cheap; safe to call at any time. */
  wake(): void;
  /** Resolves when the claim that is in progress is over and its runs are assigned. */
  settled(): Promise<void>;
  close(): void;
}

const firstRetryMs = 100;
const maxRetryMs = 5_000;

/**
 * Claims due runs for all workers and assigns them, never more than a worker's capacity. It never polls the store:
 * signals wake it, and the time at which the next waiting run is due.
 */
export function createClaimLoop(p: ClaimLoopOptions): ClaimLoop {
  const { store, workers, clock, logger } = p;
  const alarm = createAlarm(clock, wake);
  let isWoken = false;
  let isClosed = false;
  let isClaiming = false;
  let round: Promise<void> = Promise.resolve();
  let failures = 0;

  function wake(): void {
    isWoken = true;
    if (isClaiming || isClosed || !hasSlot()) return;
    isClaiming = true;
    void claimWhileWoken().finally(() => {
      isClaiming = false;
      // Woken between the last look and here.
      if (isWoken) wake();
    });
  }

  /** As cheap as it can be: every accept and every end asks. */
  function hasSlot(): boolean {
    for (const worker of workers.values()) if (worker.runs.size < worker.capacity && mayHaveMore(worker)) return true;
    return false;
  }

  const findGroups = (): ClaimGroup[] => groupSlots([...workers.values()].filter((worker) => mayHaveMore(worker)));

  const mayHaveMore = (worker: HostedWorker) =>
    !worker.isDraining && !p.held.has(worker.identity.id) && isResponsive(worker);

  async function claimWhileWoken(): Promise<void> {
    while (isWoken) {
      // Runs that end in one write free their slots together.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const groups = isClosed ? [] : findGroups();
      if (groups.length === 0) return;
      isWoken = false;
      try {
        round = claimAll(groups);
        await round;
        await setAlarm(groups);
        failures = 0;
      } catch (error) {
        const retryMs = Math.min(firstRetryMs * 2 ** failures, maxRetryMs);
        failures += 1;
        logger.warn("could not claim runs, retrying", { error, retryMs });
        isWoken = false; // the alarm comes back to it
        if (!isClosed) alarm.setIn(retryMs);
        return;
      }
    }
  }

  async function claimAll(groups: readonly ClaimGroup[]): Promise<void> {
    for (const group of groups) await claim(group);
  }

  async function claim(group: ClaimGroup): Promise<void> {
    const before = new Map(workers);
    const now = clock.now();
    const claimed = await store.claimRuns({ ...group, now, leaseMs: p.leaseMs });
    const held = await extendIfLate(claimed, now);
    const loaded = await Promise.all(held.map((run) => load(run, before.get(run.workerId)?.identity)));
    for (const [index, run] of held.entries()) assign(run, loaded[index] ?? null, before.get(run.workerId));
  }

  /**
   * A host that was paused while it claimed, or that waited long for the store, has leases that are almost over: others
   * may be taking its runs already.
   */
  async function extendIfLate(claimed: readonly ClaimedRun[], since: number): Promise<readonly ClaimedRun[]> {
    const now = clock.now();
    if (claimed.length === 0 || now - since <= p.leaseMs / 3) return claimed;
    const runs = claimed.map(({ id, token }) => ({ id, token }));
    const { lost } = await store.extendLeases({ runs, now, leaseMs: p.leaseMs });
    const isLost = new Set(lost);
    return claimed.filter(({ id }) => !isLost.has(id)).map((run) => ({ ...run, leaseUntil: now + p.leaseMs }));
  }

  /** A run whose worker has disconnected meanwhile is given back when it connects again, dies, or by its lease. */
  function assign(run: ClaimedRun, needs: Needs | null, worker: HostedWorker | undefined): void {
    if (!needs || !worker || workers.get(run.workerId) !== worker) return;
    takeFromOthers(run);
    worker.runs.set(run.id, run.token);
    worker.stream.sendText(formatAssign(run, needs));
  }

  /** A paused worker may not know yet that its lease has expired. */
  function takeFromOthers({ id }: ClaimedRun): void {
    for (const { runs, stream } of workers.values()) {
      const token = runs.get(id);
      if (token === undefined) continue;
      runs.delete(id);
      stream.send({ type: "lost", run: { id, token } });
    }
  }

  async function load(run: ClaimedRun, worker: WorkerIdentity | undefined): Promise<Needs | null> {
    const isFirstStart = run.attempt === 1 && !run.isResumed;
    const hasHeaders = worker?.needsHeaders && run.deliveryId !== null;
    if (isFirstStart && !hasHeaders) return { steps: [], headers: null };
    try {
      const [steps, headers] = await Promise.all([
        isFirstStart ? [] : store.loadSteps(run.id),
        // Only spans depend on them.
        hasHeaders ? store.getDeliveryHeaders(run.deliveryId ?? "").catch(() => null) : null,
      ]);
      return { steps, headers };
    } catch (error) {
      logger.error("run steps could not be read; another worker will take the run", { ...runLogFields(run), error });
      return null;
    }
  }

  /** Due runs that were not claimed wait for a run to end, which wakes the loop. */
  async function setAlarm(groups: readonly ClaimGroup[]): Promise<void> {
    const now = clock.now();
    const pools = [...new Set(groups.map(({ pool }) => pool))];
    const times = await Promise.all(pools.map((pool) => store.nextAvailableAt(pool, now)));
    const next = times.filter((at) => at !== null);
    if (!isClosed) alarm.setAt(next.length > 0 ? Math.min(...next) : null);
  }

  return {
    wake,
    settled: () => round.catch(() => {}),
    close() {
      isClosed = true;
      alarm.clear();
    },
  };
}
