import type { Duplex } from "node:stream";
import { isStoreUnavailable } from "../../contract/app-error.ts";
import { leaseMs } from "../../domain/runs/lease.ts";
import { TransientMap } from "../../domain/transient-map.ts";
import type { RunClaim } from "../../ports/run-channel.ts";
import type { WaitSearch } from "../../deliveries/search-waits.ts";
import type { Store } from "../../ports/store.ts";
import type { ProgressResult } from "../../ports/store/engine-store.ts";
import type { Hello, HostMessage, MessageStream, WorkerMessage } from "../messages.ts";
import { createAcceptRunning, createAssignRuns } from "./assign-runs.ts";
import { createClaimLoop } from "./claim-loop.ts";
import { countBlockedRuns } from "./count-blocked-runs.ts";
import { claimsOf, createWorkerConnections, forget, type HostedWorker, isResponsive } from "./hosted-workers.ts";
import { keepLeases } from "./keep-leases.ts";
import { createFamilySettler } from "./family-settler.ts";
import { createLeftBuilds, type LeftBuild } from "./left-builds.ts";
import { type RecoveredRun, resumeRuns } from "./recover-lost-runs.ts";
import { createRecovery, type LostWorker, type RecoveryOptions } from "./recovery.ts";

type ProgressMessage = Extract<WorkerMessage, { type: "progress" }>;

/** A worker that sends nothing for so long may be paused: its leases are not extended. */
const maxSilenceMs = 2_000;

/** Searches for waits, and settles runs, that no process has completed. */
const searchEveryMs = 5_000;

/** An attempt whose worker ended. */
export type LostAttempt = Pick<RecoveredRun, "id" | "target" | "fate">;

/** The runs that need a process of their own. */
export interface IsolatedRuns {
  queued: number;
  /** When the next waiting run is due; `null`: none is waiting. */
  nextAt: number | null;
}

export interface RunHostOptions extends Pick<
  RecoveryOptions,
  "readManifest" | "readBuild" | "mode" | "machine" | "reconcileEveryMs" | "clock" | "logger" | "onTakenOver"
> {
  store: Store;
  /** A worker must send it to be accepted. */
  secret: string;
  /** The offset of the store's clock from this machine's. */
  clockAheadMs?: () => number;
  leaseMs?: number;
  /** Finds deliveries that were received before a run waited for them. Absent: no run waits for one. */
  waitSearch?: WaitSearch;
  /** Called when runs continue on another build, because no machine has the one that accepted them. */
  onBuildLeft?: (left: LeftBuild) => void;
  /** The workers of the previous host. */
  workers?: {
    /** They reconnect, or their deaths will be reported. */
    known: readonly string[];
    /** They are assigned nothing until they are released. */
    held: readonly string[];
  };
}

/**
 * Has the store, and assigns its runs to workers, which have no store. It need not be the parent of their processes:
 * their starts, heartbeats and deaths are reported to it.
 */
export interface RunHost {
  /** Recovers the runs of a service that was killed. Rejects if the store is not available. */
  start(): Promise<void>;
  /** Serves a new connection. */
  accept(connection: Duplex): void;
  /** Stores a delivery and its runs. Runs for which a worker is free are assigned after the same commit. */
  acceptDelivery: Store["acceptDelivery"];
  /** Signals that a run may be due. Cheap; safe to call at any time. */
  wake(): void;
  cancel(runId: string): void;
  /** Call it when the process was started. Its end must be reported, too. */
  workerStarted(workerId: string): void;
  /** Call it for each message of the process. `isResponsive`: its event loop sent it, not its watcher thread. */
  workerAlive(workerId: string, p: { isResponsive: boolean }): void;
  /** Call it when the process has ended. Resolves when its runs are recovered; never rejects. */
  workerDied(lost: LostWorker): Promise<LostAttempt[]>;
  /** Assigns nothing to these workers until they are released. Resolves when no assignment is in progress. */
  hold(workerIds: readonly string[]): Promise<void>;
  release(workerIds: readonly string[]): void;
  isolatedRuns(): Promise<IsolatedRuns>;
  /** The number of due runs that wait because none of the shared workers responds and has a free slot. */
  countBlockedRuns(): Promise<number>;
  /** Claims nothing more and expires no leases. Connected workers can still write. */
  stop(): void;
  /** Closes all connections. Resolves when no write or claim is in progress. */
  close(): Promise<void>;
}

export function createRunHost(p: RunHostOptions): RunHost {
  const { store, clock, logger } = p;
  const lease = p.leaseMs ?? leaseMs;
  const clockAheadMs = p.clockAheadMs ?? (() => 0);
  const workers = new Map<string, HostedWorker>();
  /** The runs of workers that have no connection and may reconnect, by the worker's id. */
  const awaited = new Map<string, RunClaim[]>();
  const known = new Set(p.workers?.known);
  const held = new Set(p.workers?.held);
  const lastAliveAt = new Map<string, number>();
  const isAlive = (workerId: string) => performance.now() - (lastAliveAt.get(workerId) ?? -Infinity) < maxSilenceMs;
  const recovery = createRecovery({
    ...p,
    leaseMs: lease,
    isOwn: (id) => known.has(id),
    isUrgent: () => claimsByWorker().some(([id, runs]) => runs.length > 0 && !isAlive(id)),
    activeRunIds: () => new Set(livingClaims().map(({ id }) => id)),
    onReleased: () => claims.wake(),
  });
  const mayTakeRuns = (worker: HostedWorker) => !worker.isDraining && !held.has(worker.identity.id);
  const assigning = {
    store,
    workers,
    leaseMs: lease,
    clock,
    logger,
    canTakeRuns: (worker: HostedWorker) => mayTakeRuns(worker) && isResponsive(worker),
  };
  const assignRuns = createAssignRuns({ ...assigning, findBuilds: recovery.findBuilds, onEnded: () => claims.wake() });
  const leftBuilds = createLeftBuilds({ logger, onLeft: (left) => p.onBuildLeft?.(left) });
  const claims = createClaimLoop({ ...assigning, assignRuns, onClaimed: leftBuilds.note });
  const accepting = createAcceptRunning({
    ...assigning,
    assignRuns,
    claims,
    onMoreWaiting: () => void searchRest(),
  });
  const leases = keepLeases({ ...p, workers, isAlive, mayTakeRuns, livingClaims, leaseMs: lease, clockAheadMs });
  const connections = createWorkerConnections({
    secret: p.secret,
    admit,
    welcome,
    onMessages: (worker) => recordAlive(worker.identity.id, true),
    handle,
    onClosed: disconnect,
    logger,
  });
  const searching = setInterval(() => {
    void searchRest();
    settler.settle();
  }, searchEveryMs).unref();
  const searchRest = () => p.waitSearch?.searchRest().then(claims.wake);
  /** The build whose limits apply to the runs of each key. */
  let limitedBy: string | null = null;
  const settler = createFamilySettler({ store, clock, logger, onSettled: claims.wake });
  const stopWatching = store.watchRuns(() => {
    claims.wake();
    settler.settle();
  });

  /** Resolves when no assignment is in progress. */
  const settled = () => Promise.all([claims.settled(), accepting.settled()]);

  function claimsByWorker(): [workerId: string, runs: RunClaim[]][] {
    return [...awaited, ...[...workers].map(([id, worker]): [string, RunClaim[]] => [id, claimsOf(worker)])];
  }

  function livingClaims(): RunClaim[] {
    return claimsByWorker().flatMap(([id, runs]) => (isAlive(id) ? runs : []));
  }

  /** Keeps the runs of the previous host's workers until these reconnect or their deaths are reported. */
  async function awaitKnown(): Promise<void> {
    for (const id of p.workers?.known ?? []) {
      const runs = (await store.listHeldRuns(id)).map(({ id: runId, token }) => ({ id: runId, token }));
      if (workers.has(id) || !known.has(id)) continue;
      lastAliveAt.set(id, performance.now());
      awaited.set(id, runs);
    }
  }

  function disconnect(worker: HostedWorker, error: Error | null): void {
    const { id } = worker.identity;
    if (workers.get(id) !== worker) return;
    workers.delete(id);
    if (known.has(id)) awaited.set(id, claimsOf(worker));
    if (error) logger.debug("connection to a worker lost", { workerId: id, error });
  }

  function recordAlive(workerId: string, hasResponded: boolean): void {
    const now = performance.now();
    lastAliveAt.set(workerId, now);
    const worker = workers.get(workerId);
    if (!hasResponded || !worker) return;
    const wasResponsive = isResponsive(worker);
    worker.respondedAt = now;
    if (!wasResponsive) claims.wake();
  }

  function handle(worker: HostedWorker, message: Exclude<WorkerMessage, Hello>): Promise<void> | void {
    switch (message.type) {
      case "progress":
        return writeProgress(worker, message);
      case "live":
        return writeLive(worker, message);
      case "capacity":
        worker.capacity = message.runs;
        return claims.slotFreed();
      case "released":
        forget(worker, message.run);
        return claims.wake();
      case "drain":
        return void drain(worker);
    }
  }

  function admit({ worker: identity, capacity, isDraining }: Hello, stream: MessageStream<HostMessage>): HostedWorker {
    known.add(identity.id);
    lastAliveAt.set(identity.id, performance.now());
    return {
      identity,
      stream,
      capacity,
      isDraining,
      respondedAt: performance.now(),
      leaseUntil: clock.now() + lease,
      renewing: null,
      runs: new TransientMap(),
      reserved: 0,
      limitedTargets: new Set(identity.limits.map(([target]) => target)),
      readsRequest: new Set(identity.readsRequest),
      limitedRuns: new Set(),
    };
  }

  /** Compares the runs that the worker has with those that the store has for it. */
  async function welcome(worker: HostedWorker, hello: Hello, isOpen: () => boolean): Promise<void> {
    const { id: workerId } = worker.identity;
    await applyLimits(worker);
    // A run that was claimed for its previous connection never reached it.
    await settled();
    const { kept, lost, missing } = compareRuns(hello, await store.listHeldRuns(workerId));
    for (const { id, token } of kept) worker.runs.set(id, token);
    // Their targets are not known here.
    if (worker.limitedTargets.size > 0) for (const { id } of kept) worker.limitedRuns.add(id);
    const ids = missing.map(({ id }) => id);
    await resumeRuns({ store, clock }, { workerId, ids, message: "The run did not reach its worker." });
    const now = clock.now();
    await Promise.all([store.extendLeases({ runs: kept, now, leaseMs: lease }), leases.announce(worker)]);
    if (!isOpen()) return;
    workers.set(workerId, worker);
    awaited.delete(workerId);
    worker.stream.send({ type: "welcome", leaseUntil: now + lease, clockAheadMs: clockAheadMs(), lost });
    claims.wake();
  }

  /** Once for each build. */
  async function applyLimits({ identity, isDraining }: HostedWorker): Promise<void> {
    if (isDraining || identity.version === limitedBy) return;
    await store.applyLimits({ limits: new Map(identity.limits), now: clock.now() });
    limitedBy = identity.version;
  }

  function writeProgress(worker: HostedWorker, progress: ProgressMessage): Promise<void> {
    const renewing = leases.renewLate(worker);
    const writing = renewing ? renewing.then(() => store.writeProgress(progress)) : store.writeProgress(progress);
    return writing.then(
      (result) => acknowledge(worker, progress, result),
      (error: unknown) => reportFailure(worker, progress, error),
    );
  }

  function acknowledge(worker: HostedWorker, progress: ProgressMessage, result: ProgressResult): void {
    const { runId: id, token, seq, transition } = progress;
    const isOver = !result.held || transition !== undefined;
    // The run may be due again, and another run of its target may be due now.
    const mayBeDue = transition?.to === "waiting" || transition?.to === "queued" || worker.limitedRuns.has(id);
    if (isOver) forget(worker, { id, token });
    worker.stream.send({ type: "ack", id, token, seq, ...result });
    if (result.held && progress.children) claims.wake();
    if (result.held && progress.hasFamily) settler.settle();
    if (result.held && progress.waits) void p.waitSearch?.searchFor(id).then(claims.wake);
    if (isOver && mayBeDue) claims.wake();
    else if (isOver) claims.slotFreed();
  }

  async function writeLive(
    { stream }: HostedWorker,
    { id, live }: Extract<WorkerMessage, { type: "live" }>,
  ): Promise<void> {
    const { held } = await store.saveLive(live).catch(() => ({ held: true }));
    stream.send({ type: "live-ack", id, held });
  }

  async function drain(worker: HostedWorker): Promise<void> {
    worker.isDraining = true;
    // Other workers then do not wait for this one to take the runs of its build.
    leases.announce(worker).catch((error: unknown) => logger.warn("worker could not announce its shutdown", { error }));
    await settled();
    worker.stream.send({ type: "drained" });
  }

  return {
    async start() {
      await awaitKnown();
      await recovery.start();
      void searchRest();
      settler.settle();
    },
    accept: connections.accept,
    acceptDelivery: accepting.acceptDelivery,
    wake: claims.wake,
    cancel(runId) {
      leases.cancel(runId);
      settler.settle();
    },
    workerStarted: (workerId) => void known.add(workerId),
    workerAlive: (workerId, { isResponsive: hasResponded }) => recordAlive(workerId, hasResponded),
    async workerDied(lost) {
      await connections.closeOf(lost.workerId);
      workers.delete(lost.workerId);
      awaited.delete(lost.workerId);
      await settled();
      lastAliveAt.delete(lost.workerId);
      held.delete(lost.workerId);
      const runs = await recovery.workerDied(lost);
      settler.settle();
      known.delete(lost.workerId);
      return runs.map(({ id, target, fate }) => ({ id, target, fate }));
    },
    async hold(workerIds) {
      for (const id of workerIds) held.add(id);
      await settled();
    },
    release(workerIds) {
      for (const id of workerIds) held.delete(id);
      claims.wake();
    },
    async isolatedRuns() {
      const [queued, nextAt] = await Promise.all([store.countQueued("isolated"), store.nextAvailableAt("isolated")]);
      return { queued, nextAt };
    },
    countBlockedRuns: () => countBlockedRuns(assigning),
    stop() {
      clearInterval(searching);
      recovery.close();
      claims.close();
    },
    async close() {
      clearInterval(searching);
      recovery.close();
      claims.close();
      leases.close();
      stopWatching();
      await settler.close();
      const closed = connections.close();
      await settled();
      leftBuilds.close();
      await closed;
    },
  };
}

function reportFailure(worker: HostedWorker, { runId: id, token, seq }: ProgressMessage, error: unknown): void {
  const failure = {
    isUnavailable: isStoreUnavailable(error),
    message: error instanceof Error ? error.message : String(error),
  };
  worker.stream.send({ type: "ack", id, token, seq, failure });
}

// ---- a worker that reconnects ----

interface Comparison {
  /** The worker has these. If the progress of a run is unacknowledged, its end may be in the store already. */
  kept: RunClaim[];
  /** The worker no longer has these. */
  lost: RunClaim[];
  /** The store has these for the worker, but they did not reach it. */
  missing: RunClaim[];
}

/** Compares the runs that a worker reports with those that the store has for it. */
export function compareRuns(
  { runs, unacknowledged }: Pick<Hello, "runs" | "unacknowledged">,
  stored: readonly RunClaim[],
): Comparison {
  const inStore = new Map(stored.map(({ id, token }) => [id, token]));
  const inWorker = new Map(runs.map(({ id, token }) => [id, token]));
  const isKept = ({ id, token }: RunClaim) => inStore.get(id) === token || unacknowledged.includes(id);
  return {
    kept: runs.filter(isKept),
    lost: runs.filter((run) => !isKept(run)),
    missing: stored.filter(({ id, token }) => inWorker.get(id) !== token),
  };
}
