import { repeat } from "../../domain/event-loop.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { RunClaim } from "../../ports/run-channel.ts";
import type { Store } from "../../ports/store.ts";
import { claimsOf, forget, freeSlots, type HostedWorker, type HostedWorkers, isResponsive } from "./hosted-workers.ts";

const heartbeatEveryMs = 5_000;

interface LeaseKeeperOptions {
  store: Pick<Store, "extendLeases" | "heartbeatWorker" | "listCancelRequested" | "watchRuns">;
  workers: HostedWorkers;
  /** Whether a worker sent a message a moment ago. A paused worker must lose its runs. */
  isAlive: (workerId: string) => boolean;
  /** The runs of all living workers, also of those that are about to reconnect. */
  livingClaims: () => RunClaim[];
  /** Whether the worker is assigned runs while it responds. */
  mayTakeRuns: (worker: HostedWorker) => boolean;
  /** The name of this machine. */
  machine: string;
  leaseMs: number;
  clock: Clock;
  /** The offset of the store's clock from this machine's. */
  clockAheadMs: () => number;
  logger: Logger;
}

interface LeaseKeeper {
  /**
   * Extends the leases of a worker that has just sent a message, if the regular extension was missed: it was paused,
   * alone or with this process. Otherwise, they could expire before the next regular extension, shortly after the
   * worker has begun a step. Call it before a write of the worker is acknowledged: after an acknowledgement, the worker
   * begins a step. `null`: no extension was missed.
   */
  renewLate(worker: HostedWorker): Promise<void> | null;
  /** Lists the worker in the store, so that other machines know its builds. */
  announce(worker: HostedWorker): Promise<void>;
  cancel(runId: string): void;
  close(): void;
}

/** Extends the leases of all living workers in one write, and passes cancellations on to them. */
export function keepLeases(p: LeaseKeeperOptions): LeaseKeeper {
  const { store, workers, clock, leaseMs } = p;
  async function extendAll(): Promise<void> {
    // If this process was delayed, messages of the workers may be unread. They are read first.
    await new Promise(setImmediate);
    const living = [...workers.values()].filter(({ identity }) => p.isAlive(identity.id));
    await extend(p.livingClaims(), living);
  }

  async function extend(runs: RunClaim[], living: readonly HostedWorker[]): Promise<void> {
    if (runs.length === 0) return;
    const now = clock.now();
    const { lost, cancelRequested } = await store.extendLeases({ runs, now, leaseMs });
    const isLost = new Set(lost);
    const lostClaims = runs.filter(({ id }) => isLost.has(id));
    for (const worker of living) {
      if (worker.runs.size === 0) continue;
      const lostRuns = lostClaims.filter(({ id, token }) => worker.runs.get(id) === token);
      for (const run of lostRuns) forget(worker, run);
      worker.leaseUntil = now + leaseMs;
      worker.stream.send({
        type: "renewed",
        leaseUntil: now + leaseMs,
        clockAheadMs: p.clockAheadMs(),
        lost: lostRuns,
      });
    }
    for (const id of cancelRequested) cancel(id);
  }

  function cancel(runId: string): void {
    for (const { runs, stream } of workers.values()) if (runs.has(runId)) stream.send({ type: "cancel", runId });
  }

  function renewLate(worker: HostedWorker): Promise<void> | null {
    if (worker.runs.size === 0 || clock.now() < worker.leaseUntil - leaseMs / 2) return null;
    worker.renewing ??= extend(claimsOf(worker), [worker]).finally(() => (worker.renewing = null));
    // If this process was paused meanwhile, the renewal is late, too.
    return worker.renewing.then(() => renewLate(worker) ?? undefined);
  }

  const announce = (worker: HostedWorker) => {
    const { id, pid, version, startedAt, keptVersions, pool } = worker.identity;
    return store.heartbeatWorker({
      id,
      pid,
      version,
      startedAt,
      host: p.machine,
      seenAt: clock.now(),
      isLeaving: worker.isDraining,
      keptVersions,
      pool,
      isResponsive: isResponsive(worker),
      freeSlots: p.mayTakeRuns(worker) ? freeSlots(worker) : 0,
    });
  };

  const warn = (what: string) => (error: unknown) => p.logger.warn(`${what} failed; it will be retried`, { error });
  const stops = [
    repeat({ everyMs: leaseMs / 3, task: extendAll, onError: warn("lease renewal") }),
    repeat({
      everyMs: heartbeatEveryMs,
      onError: warn("worker heartbeat"),
      async task() {
        for (const worker of workers.values()) if (p.isAlive(worker.identity.id)) await announce(worker);
      },
    }),
    watchCancels({
      store,
      runIds: () => [...workers.values()].flatMap(({ runs }) => [...runs.keys()]),
      cancel,
      onError: warn("check for canceled runs"),
    }),
  ];

  return {
    renewLate,
    announce,
    cancel,
    close() {
      for (const stop of stops) stop();
    },
  };
}

// ---- cancellations by other processes ----

/** Limits the checks: under load, there are thousands of changes. */
const minIntervalMs = 250;

/**
 * Checks after changes by others whether one of these runs was canceled by another process or machine. A
 * cancellation by this service's own web process is reported sooner. Returns a function that stops it.
 */
export function watchCancels(p: {
  store: Pick<Store, "listCancelRequested" | "watchRuns">;
  /** The runs of the connected workers. */
  runIds: () => string[];
  cancel: (runId: string) => void;
  onError: (error: unknown) => void;
}): () => void {
  let pause: NodeJS.Timeout | null = null;
  let isDue = false;
  let isStopped = false;

  async function check(): Promise<void> {
    const runIds = p.runIds();
    if (runIds.length === 0) return;
    for (const runId of await p.store.listCancelRequested(runIds)) p.cancel(runId);
  }

  function changed(): void {
    if (isStopped) return;
    if (pause) return void (isDue = true);
    isDue = false;
    pause = setTimeout(() => {
      pause = null;
      if (isDue) changed();
    }, minIntervalMs).unref();
    check().catch(p.onError);
  }

  const stopWatching = p.store.watchRuns(changed);
  return () => {
    isStopped = true;
    if (pause) clearTimeout(pause);
    stopWatching();
  };
}
