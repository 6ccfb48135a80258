import type { Clock } from "../ports/clock.ts";
import type { Dispatcher } from "../ports/dispatcher.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProjectCode } from "../ports/project.ts";
import type { Store } from "../ports/store.ts";
import type { ClaimedRun, EngineStore, WorkerInfo } from "../ports/store/engine-store.ts";
import { executeRun, type ExecuteRunOptions, type RunEnding, type RunHandle } from "./execute-run.ts";
import type { RunSlots } from "./run-slots.ts";

/** Under load, there are thousands of changes. */
const lookEveryMs = 250;

/** Duration of a worker's lease on its runs. Including the check interval, other workers take over within 15 seconds. */
export const leaseMs = 12_000;
const heartbeatRowEveryMs = 5_000;
/** Code that still runs this long after its run has ended is considered stuck. */
const zombieMs = 30_000;
const handBackWithinMs = 2_000;
/** Maximum time that a run claimed ahead waits for a slot. Afterwards another worker can take it. */
const maxSlotWaitMs = 1_000;
const lookForWaitingMs = 250;

export interface WorkerLoopOptions {
  store: EngineStore & Pick<Store, "watch">;
  code: ProjectCode;
  dispatcher: Dispatcher;
  worker: Omit<WorkerInfo, "seenAt">;
  clock: Clock;
  logger: Logger;
  random: () => number;
  slots?: RunSlots;
  onActiveChanged: () => void;
  onRunStarted?: (run: ClaimedRun) => void;
  /** See ExecuteRunOptions. */
  traceRun?: ExecuteRunOptions["traceRun"];
  onRunEnded: (run: ClaimedRun, ending: RunEnding) => void;
  onRetire: (reason: string) => void;
}

export interface WorkerLoop {
  start(): Promise<void>;
  wake(): void;
  cancel(runId: string): void;
  /** Claims nothing until it is released. Resolves when no claim is in progress. */
  hold(): Promise<void>;
  release(): void;
  /** Claims nothing more. Resolves when all active runs have ended. */
  drain(): Promise<void>;
  /** Claims nothing more. After the grace period, active runs are aborted and return to the queue. */
  shutDown(graceMs: number): Promise<void>;
  active(): { runId: string; deadlineAt: number }[];
  /** Deregisters the worker. */
  leave(): Promise<void>;
}

/** Executes the runs that the dispatcher claims, and renews their leases while they run. */
export function createWorkerLoop(options: WorkerLoopOptions): WorkerLoop {
  const { store, dispatcher, clock, logger, worker } = options;
  const handles = new Map<string, RunHandle>();
  const stops: (() => void)[] = [];
  let isDraining = false;

  async function execute(run: ClaimedRun): Promise<void> {
    const handle = executeRun(run, options);
    handles.set(run.id, handle);
    // Claimed while the worker was shutting down: its code has not started.
    if (isHandingBack) handle.interrupt({ kind: "handed_back" });
    options.onActiveChanged();
    const ending = await handle.ended;
    if (handles.get(run.id) === handle) handles.delete(run.id);
    options.onRunEnded(run, ending);
    options.onActiveChanged();
    if (ending.status !== "waiting") watchForZombie(handle);
  }

  let isHandingBack = false;

  /** Code that ignores its signal keeps memory and can use more: the process is replaced. */
  function watchForZombie(handle: RunHandle): void {
    const timer = setTimeout(
      () =>
        options.onRetire(
          `the code of run ${handle.run.id} is still running although the run has ended; it should stop on ctx.signal`,
        ),
      zombieMs,
    );
    timer.unref();
    void handle.settled.then(() => clearTimeout(timer));
  }

  async function extendLeases(): Promise<void> {
    const runs = [...handles.values()].map(({ run }) => ({ id: run.id, token: run.token }));
    if (runs.length === 0) return;
    const now = clock.now();
    const { lost, cancelRequested } = await store.extendLeases({ workerId: worker.id, runs, now, leaseMs });
    const isLost = new Set(lost);
    for (const { id } of runs) if (!isLost.has(id)) handles.get(id)?.renewed(now + leaseMs);
    for (const id of lost) handles.get(id)?.interrupt({ kind: "lost" });
    for (const id of cancelRequested) handles.get(id)?.interrupt({ kind: "canceled" });
  }

  async function passOnWaiting(): Promise<void> {
    const late = [...handles.values()].filter((handle) => (handle.waitedMs() ?? 0) > maxSlotWaitMs);
    if (late.length === 0) return;
    options.slots?.distrust();
    for (const handle of late) handle.interrupt({ kind: "passed_on" });
  }

  const cancel = (runId: string) => handles.get(runId)?.interrupt({ kind: "canceled" });

  const heartbeat = () => store.heartbeatWorker({ ...worker, seenAt: clock.now(), isLeaving: isDraining });

  function repeat(everyMs: number, what: string, task: () => Promise<unknown>): void {
    const timer = setInterval(
      () => void task().catch((error: unknown) => logger.warn(`${what} failed; it will be retried`, { error })),
      everyMs,
    );
    stops.push(() => clearInterval(timer));
  }

  async function drain(): Promise<void> {
    const isNew = !isDraining;
    isDraining = true;
    // Other workers need not wait for this one to take the runs of its build.
    if (isNew) heartbeat().catch((error: unknown) => logger.warn("worker could not announce its shutdown", { error }));
    await dispatcher.drain();
  }

  return {
    async start() {
      await heartbeat();
      repeat(leaseMs / 3, "lease renewal", extendLeases);
      repeat(lookForWaitingMs, "handover of waiting runs", passOnWaiting);
      repeat(heartbeatRowEveryMs, "worker heartbeat", heartbeat);
      stops.push(
        watchCancels({
          store,
          runIds: () => [...handles.keys()],
          cancel,
          onError: (error) => logger.warn("check for canceled runs failed; it will be retried", { error }),
        }),
      );
      dispatcher.start(execute);
    },
    wake: () => {
      if (!isDraining) dispatcher.wake();
    },
    cancel,
    hold: () => dispatcher.hold(),
    release: () => dispatcher.release(),
    drain,
    async shutDown(graceMs) {
      const drained = drain();
      const hasEnded = await isWithin(drained, graceMs);
      if (hasEnded) return;
      isHandingBack = true;
      for (const handle of handles.values()) handle.interrupt({ kind: "handed_back" });
      await isWithin(drained, handBackWithinMs);
    },
    active: () => [...handles.values()].map((handle) => ({ runId: handle.run.id, deadlineAt: handle.deadlineAt() })),
    async leave() {
      for (const stop of stops) stop();
      await store.removeWorker(worker.id);
    },
  };
}

async function isWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([promise.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Checks after each change of the store whether one of these runs was canceled by another process or machine. The
 * worker's own supervisor reports cancellations sooner, the lease renewal later. Returns a function that stops it.
 */
export function watchCancels(p: {
  store: Pick<EngineStore, "listCancelRequested"> & Pick<Store, "watch">;
  /** The runs that this process executes. */
  runIds: () => string[];
  cancel: (runId: string) => void;
  onError: (error: unknown) => void;
}): () => void {
  let resting: NodeJS.Timeout | null = null;
  let isDue = false;
  let isStopped = false;

  async function look(): Promise<void> {
    const runIds = p.runIds();
    if (runIds.length === 0) return;
    for (const runId of await p.store.listCancelRequested(runIds)) p.cancel(runId);
  }

  function changed(): void {
    if (isStopped) return;
    if (resting) return void (isDue = true);
    isDue = false;
    resting = setTimeout(() => {
      resting = null;
      if (isDue) changed();
    }, lookEveryMs).unref();
    look().catch(p.onError);
  }

  const leave = p.store.watch(changed);
  return () => {
    isStopped = true;
    if (resting) clearTimeout(resting);
    leave();
  };
}
