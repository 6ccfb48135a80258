import type { Settings } from "../config.ts";
import { repeat } from "../domain/event-loop.ts";
import { newId } from "../domain/ids.ts";
import type { ServiceNumbers } from "../domain/runs/run-tally.ts";
import type { WorkerDeath } from "../engine/plan-lost-runs.ts";
import type { Clock } from "../ports/clock.ts";
import { type Logger, createThrottledLog } from "../ports/logger.ts";
import type { PoolHost } from "./host-link.ts";
import { createIsolation } from "./isolation.ts";
import type { LocalAddress } from "./local-sockets.ts";
import type { Reporter, RunEndedReport, WorkerToSupervisor } from "./protocol.ts";
import { createWorkerWatch, watchEveryMs } from "./watch-workers.ts";
import { type WorkerChild, forkWorker } from "./worker-child.ts";
import { createWorkerDeaths } from "./worker-deaths.ts";

export interface WorkerPoolOptions {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  /** Gives runs to the workers. */
  host: PoolHost;
  /** Where the workers reach the host. */
  runs: LocalAddress;
  /** Rewrites a stack from built positions to the user's own. */
  mapStack: (stack: string) => Promise<string>;
  reporter: Reporter;
  logger: Logger;
  clock: Clock;
}

export interface WorkerPool {
  /** Resolves when the first worker takes runs, or could not start. */
  start(): Promise<void>;
  /** How workers and their runs fared since this pool was made. */
  numbers(): Omit<ServiceNumbers, "webRestarts">;
  /**
   * The project was rebuilt: the old workers take nothing new, and finish what they have once the new ones are there.
   * `held` resolves when no old worker can be given a run any more, `done` when the new ones have taken over or could
   * not start. The old ones continue only if none could start and web, as `isServed` says, kept the old build too: they
   * do not know the triggers of the new one.
   */
  replaceAll(isServed: Promise<boolean>): { held: Promise<unknown>; done: Promise<void> };
  /** Runs get `graceMs` to end, then go back to the queue; workers that are still there two seconds later are killed. */
  close(graceMs: number): Promise<void>;
}

const killAfterGraceMs = 2_500;
/** For isolated runs without a signal: on a shared store, another machine may have left them behind. */
const lookForIsolatedMs = { sqlite: 5_000, postgres: 1_000 };

/** The worker processes of this machine: keeps as many as configured, watches them, and reports their ends to the host. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { settings, host, reporter, logger, clock } = options;
  const children = new Set<WorkerChild>();
  /** Those that were asked to leave: nothing replaces them when they end. */
  const leaving = new Set<WorkerChild>();
  const timers = new Set<NodeJS.Timeout>();
  const deaths = createWorkerDeaths({ host, reporter });
  let isClosing = false;
  const watchWorkers = createWorkerWatch({
    workers: children,
    memoryMb: settings.workerMemoryMb,
    clock,
    mapStack: options.mapStack,
  });

  const staying = (pool: WorkerChild["pool"]) =>
    [...children].filter((child) => child.pool === pool && !leaving.has(child));

  const warn = createThrottledLog((message, fields) => logger.warn(message, fields));
  const stops: (() => void)[] = [];

  function spawn(pool: WorkerChild["pool"], onMessage: (message: WorkerToSupervisor) => void = () => {}): WorkerChild {
    const workerId = newId("wrk");
    host.workerStarted(workerId);
    const child: WorkerChild = forkWorker({
      start: { projectDir: settings.projectDir, mode: settings.mode, pool, workerId, runs: options.runs },
      env: options.env,
      memoryMb: settings.workerMemoryMb,
      onLife: (isResponsive) => host.workerLives(workerId, { isResponsive }),
      onMessage: (message) => {
        handleMessage(child, message);
        onMessage(message);
      },
      onExit: (death) => handleExit(child, isClosing ? { kind: "requested" } : death),
    });
    children.add(child);
    return child;
  }

  /** Resolves when it takes runs (`true`), or has ended or reported that it cannot (`false`). */
  function spawnReady(pool: WorkerChild["pool"]): Promise<boolean> {
    return new Promise((resolve) => {
      const child = spawn(pool, (message) => {
        if (message.type === "ready") resolve(true);
      });
      void child.exited.then(() => resolve(false));
    });
  }

  function later(delayMs: number, action: () => void): void {
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
        deaths.heard(message);
        return handleEnds(child, message.ended);
      case "retiring":
        reporter.notice("warn", `Replacing a worker: ${message.reason}.`);
        dismiss(child);
        return replace(child);
    }
  }

  function handleEnds(child: WorkerChild, ended: readonly RunEndedReport[]): void {
    for (const run of ended) reporter.runEnded(run);
    if (ended.length > 0 && child.pool === "isolated") isolation.look();
  }

  function dismiss(child: WorkerChild): void {
    leaving.add(child);
    child.send({ type: "drain" });
  }

  function replace(child: WorkerChild): void {
    if (isClosing) return;
    if (child.pool === "isolated") isolation.look();
    else if (staying("shared").length < settings.workers) spawn("shared");
  }

  async function recover(child: WorkerChild, death: WorkerDeath): Promise<void> {
    await deaths.recover(child, death);
    if (!isClosing) isolation.look();
  }

  function handleExit(child: WorkerChild, death: WorkerDeath): void {
    const wasLeaving = leaving.has(child);
    children.delete(child);
    leaving.delete(child);
    void recover(child, death);
    if (isClosing || wasLeaving) return;
    const pauseMs = deaths.judge(child, death);
    if (pauseMs === 0) replace(child);
    else if (child.pool === "isolated") isolation.pause(pauseMs);
    else later(pauseMs, () => replace(child));
  }

  const isolation = createIsolation({
    host,
    clock,
    logger,
    workers: () => staying("isolated"),
    spawn: () => void spawn("isolated"),
    dismiss,
    later,
  });

  /** After a rebuild: `isInForce` says whether the new build is served. */
  function succeed(old: WorkerChild[], p: { hasStarted: boolean; isInForce: boolean }): void {
    if (isClosing) return;
    if (!p.isInForce) {
      for (const child of old) leaving.delete(child);
      host.release(old.map(({ workerId }) => workerId));
      return reporter.notice(
        "error",
        "No worker could start with the new build. The workers of the previous build continue.",
      );
    }
    for (const child of old) child.send({ type: "drain" });
    if (!p.hasStarted)
      reporter.notice("error", "No worker has started with the new build yet. Runs wait until a worker starts.");
    isolation.look();
  }

  return {
    async start() {
      stops.push(
        repeat({
          everyMs: watchEveryMs,
          onError: (error) => warn("worker check failed, retrying", { error }),
          async task() {
            await watchWorkers();
            isolation.dismissIdle();
          },
        }),
        repeat({
          everyMs: lookForIsolatedMs[settings.database.kind],
          onError: (error) => warn("check for isolated runs failed, retrying", { error }),
          task: async () => isolation.look(),
        }),
      );
      const starts = Array.from({ length: settings.workers }, () => spawnReady("shared"));
      isolation.look();
      await Promise.race(starts);
    },
    numbers: () => deaths.numbers(children),
    replaceAll(isServed) {
      const old = [...children].filter((child) => !leaving.has(child));
      // Nothing takes the place of the old ones: the new ones are on their way.
      for (const child of old) leaving.add(child);
      const held = host.hold(old.map(({ workerId }) => workerId));
      const starts = Promise.all(Array.from({ length: settings.workers }, () => spawnReady("shared")));
      const finish = async (started: boolean[]) => {
        const hasStarted = started.some(Boolean);
        succeed(old, { hasStarted, isInForce: hasStarted || (await isServed) });
      };
      return { held, done: starts.then(finish) };
    },
    async close(graceMs) {
      isClosing = true;
      for (const stop of stops) stop();
      for (const timer of timers) clearTimeout(timer);
      host.stop();
      const last = [...children];
      for (const child of last) child.send({ type: "shutdown", graceMs });
      const killer = setTimeout(
        () => last.forEach((child) => child.kill({ kind: "requested" })),
        graceMs + killAfterGraceMs,
      );
      await Promise.all(last.map(({ exited }) => exited));
      clearTimeout(killer);
      await deaths.settled();
    },
  };
}
