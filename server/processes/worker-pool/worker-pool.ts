import type { Settings } from "../../config.ts";
import { repeat } from "../../domain/event-loop.ts";
import { newId } from "../../domain/ids.ts";
import type { ServiceNumbers } from "../../domain/tallies.ts";
import type { WorkerDeath } from "../../engine/plan-lost-runs.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { PoolHost } from "../receiver/host-link.ts";
import { createIsolation } from "./isolation.ts";
import type { LocalAddress } from "../local-sockets.ts";
import type { Reporter, RunEndedReport, WorkerToSupervisor } from "../protocol.ts";
import { createWaitingRuns } from "./waiting-runs.ts";
import { createWorkerWatch, watchEveryMs } from "./watch-workers.ts";
import { type WorkerChild, forkWorker } from "../worker/worker-child.ts";
import { createWorkerDeaths } from "./worker-deaths.ts";

export interface WorkerPoolOptions {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  /** Assigns runs to the workers. */
  host: PoolHost;
  /** The address at which the workers reach the host. */
  runs: LocalAddress;
  /** Rewrites a stack from built positions to the user's own. */
  mapStack: (stack: string) => Promise<string>;
  reporter: Reporter;
  logger: Logger;
  clock: Clock;
}

export interface WorkerPool {
  /** Resolves when the first worker accepts runs, or could not start. */
  start(): Promise<void>;
  /** The counts of workers and their runs since this pool was created. */
  numbers(): Omit<ServiceNumbers, "webRestarts">;
  /**
   * Replaces the workers after a rebuild. The old workers are assigned no more runs, and finish theirs once the new
   * ones are ready. `held` resolves when no old worker can be assigned a run, `done` when the new workers have taken
   * over or could not start. The old workers continue only if no new one could start and the new build is not served
   * either (`isServed`): they do not have its triggers.
   */
  replaceAll(isServed: Promise<boolean>): { held: Promise<unknown>; done: Promise<void> };
  /**
   * Steps in flight get `drainMs` to end, and runs return to the queue. Workers that still run `killAfterDrainMs` later
   * are killed.
   */
  close(drainMs: number): Promise<void>;
}

const killAfterDrainMs = 2_500;
/** Finds isolated runs that were not signaled: on a shared store, another machine may have left them. */
const checkIsolatedEveryMs = { sqlite: 5_000, postgres: 1_000 };

/** Keeps as many worker processes as configured on this machine, watches them, and reports their ends to the host. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { settings, host, reporter, logger, clock } = options;
  const children = new Set<WorkerChild>();
  /** Workers that are to exit. They are not replaced when they do. */
  const outgoing = new Set<WorkerChild>();
  const timers = new Set<NodeJS.Timeout>();
  const deaths = createWorkerDeaths({ host, reporter });
  let isClosing = false;
  const waitingRuns = createWaitingRuns({
    count: (pool) => (pool === "shared" ? host.countBlockedRuns() : isolation.countWaiting()),
    onError: (error) => logger.warn("could not count waiting runs, retrying", { error }),
  });
  const watchWorkers = createWorkerWatch({
    workers: children,
    memoryMb: settings.workerMemoryMb,
    clock,
    mapStack: options.mapStack,
    waitingRuns,
    mayTakeRuns: (child) => !outgoing.has(child),
    logger,
  });

  const current = (pool: WorkerChild["pool"]) =>
    [...children].filter((child) => child.pool === pool && !outgoing.has(child));

  const stops: (() => void)[] = [];

  function spawn(pool: WorkerChild["pool"], onMessage: (message: WorkerToSupervisor) => void = () => {}): WorkerChild {
    const workerId = newId("wrk");
    host.workerStarted(workerId);
    const child: WorkerChild = forkWorker({
      start: { projectDir: settings.projectDir, mode: settings.mode, pool, workerId, runs: options.runs },
      env: options.env,
      memoryMb: settings.workerMemoryMb,
      onAlive: (isResponsive) => host.workerAlive(workerId, { isResponsive }),
      onMessage: (message) => {
        handleMessage(child, message);
        onMessage(message);
      },
      onExit: (death) => handleExit(child, isClosing ? { kind: "requested" } : death),
    });
    children.add(child);
    return child;
  }

  /** Resolves to `true` when the worker accepts runs, to `false` when it has ended. */
  function spawnReady(pool: WorkerChild["pool"]): Promise<boolean> {
    return new Promise((resolve) => {
      const child = spawn(pool, (message) => {
        if (message.type === "ready") resolve(true);
      });
      void child.exited.then(() => resolve(false));
    });
  }

  function schedule(delayMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!isClosing) action();
    }, delayMs);
    timers.add(timer);
  }

  function handleMessage(child: WorkerChild, message: WorkerToSupervisor): void {
    switch (message.type) {
      case "ready":
      case "failed":
        return;
      case "heartbeat":
        deaths.recordReport(message);
        return handleEnds(child, message.ended);
      case "retiring":
        reporter.notice("warn", `Replacing a worker: ${message.reason}.`);
        dismiss(child);
        return replace(child);
    }
  }

  function handleEnds(child: WorkerChild, ended: readonly RunEndedReport[]): void {
    for (const run of ended) reporter.runEnded(run);
    if (ended.length > 0 && child.pool === "isolated") isolation.check();
  }

  function dismiss(child: WorkerChild): void {
    outgoing.add(child);
    child.send({ type: "drain" });
  }

  function replace(child: WorkerChild): void {
    if (isClosing) return;
    if (child.pool === "isolated") isolation.check();
    else if (current("shared").length < settings.workers) spawn("shared");
  }

  async function recover(child: WorkerChild, death: WorkerDeath): Promise<void> {
    await deaths.recover(child, death);
    if (!isClosing) isolation.check();
  }

  function handleExit(child: WorkerChild, death: WorkerDeath): void {
    const wasOutgoing = outgoing.has(child);
    children.delete(child);
    outgoing.delete(child);
    void recover(child, death);
    if (isClosing || wasOutgoing) return;
    const pauseMs = deaths.reportUnexpected(child, death);
    if (pauseMs === 0) replace(child);
    else if (child.pool === "isolated") isolation.pause(pauseMs);
    else schedule(pauseMs, () => replace(child));
  }

  const isolation = createIsolation({
    host,
    clock,
    logger,
    workers: () => current("isolated"),
    spawn: () => void spawn("isolated"),
    dismiss,
    schedule,
  });

  /** After a rebuild. `isCurrent`: whether the new build is the one that is served. */
  function finishReplacement(old: WorkerChild[], p: { hasStarted: boolean; isCurrent: boolean }): void {
    if (isClosing) return;
    if (!p.isCurrent) {
      for (const child of old) outgoing.delete(child);
      host.release(old.map(({ workerId }) => workerId));
      return reporter.notice(
        "error",
        "No worker could start with the new build. The workers of the previous build continue.",
      );
    }
    for (const child of old) child.send({ type: "drain" });
    if (!p.hasStarted)
      reporter.notice("error", "No worker has started with the new build yet. Runs wait until a worker starts.");
    isolation.check();
  }

  return {
    async start() {
      stops.push(
        repeat({
          everyMs: watchEveryMs,
          onError: (error) => logger.warn("worker check failed, retrying", { error }),
          async task() {
            await watchWorkers();
            isolation.dismissIdle();
          },
        }),
        repeat({
          everyMs: checkIsolatedEveryMs[settings.database.kind],
          onError: (error) => logger.warn("check for isolated runs failed, retrying", { error }),
          task: async () => isolation.check(),
        }),
      );
      const starts = Array.from({ length: settings.workers }, () => spawnReady("shared"));
      isolation.check();
      await Promise.race(starts);
    },
    numbers: () => deaths.numbers(children),
    replaceAll(isServed) {
      const old = [...children].filter((child) => !outgoing.has(child));
      // The old workers are not replaced one by one: all new ones are started below.
      for (const child of old) outgoing.add(child);
      const held = host.hold(old.map(({ workerId }) => workerId));
      // A start keeps this process and a processor busy: the receiver has the new build first.
      const starts = isServed.then(() =>
        Promise.all(Array.from({ length: settings.workers }, () => spawnReady("shared"))),
      );
      const finish = async (started: boolean[]) => {
        const hasStarted = started.some(Boolean);
        finishReplacement(old, { hasStarted, isCurrent: hasStarted || (await isServed) });
      };
      return { held, done: starts.then(finish) };
    },
    async close(drainMs) {
      isClosing = true;
      for (const stop of stops) stop();
      for (const timer of timers) clearTimeout(timer);
      host.stop();
      const remaining = [...children];
      for (const child of remaining) child.send({ type: "shutdown", drainMs });
      const killer = setTimeout(
        () => remaining.forEach((child) => child.kill({ kind: "requested" })),
        drainMs + killAfterDrainMs,
      );
      await Promise.all(remaining.map(({ exited }) => exited));
      clearTimeout(killer);
      await deaths.settled();
    },
  };
}
