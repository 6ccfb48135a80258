import type { Settings } from "../config.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import { formatCount } from "../domain/format.ts";
import { newId } from "../domain/ids.ts";
import type { ServiceNumbers } from "../domain/runs/run-tally.ts";
import { type WorkerDeath, describeDeath } from "../engine/plan-lost-runs.ts";
import { leaseMs } from "../engine/worker-loop.ts";
import type { Clock } from "../ports/clock.ts";
import { type Logger, targetLogFields, createThrottledLog } from "../ports/logger.ts";
import type { EngineStore } from "../ports/store/engine-store.ts";
import { createLeaseTrust } from "./lease-trust.ts";
import { createIsolation } from "./isolation.ts";
import { createPoolTally } from "./pool-tally.ts";
import { machineName } from "./machine-name.ts";
import type { Reporter, RunEndedReport, WorkerToSupervisor } from "./protocol.ts";
import { recoverFromLastTime, recoverLostRuns } from "./recover-lost-runs.ts";
import { createRestartPolicy } from "./restart-policy.ts";
import { retryUntilDone } from "./retry-until-done.ts";
import { createWorkerWatch, watchEveryMs } from "./watch-workers.ts";
import { type WorkerChild, forkWorker } from "./worker-child.ts";

export interface WorkerPoolOptions {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  store: EngineStore;
  /** The build in force, to know how its workflows are tried again. */
  readManifest: () => Promise<Manifest | null>;
  /** Rewrites a stack from built positions to the user's own. */
  mapStack: (stack: string) => Promise<string>;
  reporter: Reporter;
  logger: Logger;
  clock: Clock;
}

export interface WorkerPool {
  /** Resolves when the first worker takes runs, or could not start. */
  start(): Promise<void>;
  wake(): void;
  cancel(runId: string): void;
  /** How workers and their runs fared since this pool was made. */
  numbers(): Omit<ServiceNumbers, "webRestarts">;
  /**
   * Of all servers on the store one is to do what need not be done by each: that of the worker that has been there
   * longest.
   */
  hasOldestWorker(): Promise<boolean>;
  /**
   * The project was rebuilt: the old workers take nothing new, and finish what they have once the new ones are there.
   * `held` resolves when no old worker can be given a run any more, `done` when the new ones have taken over or could
   * not start. The old ones go on only where none could start and web, as `isServed` says, kept the old build too: they
   * do not know the triggers of the new one.
   */
  replaceAll(isServed: Promise<boolean>): { held: Promise<unknown>; done: Promise<void> };
  /** Runs get `graceMs` to end, then go back to the queue; workers that are still there two seconds later are killed. */
  close(graceMs: number): Promise<void>;
}

const reconcileEveryMs = 5_000;
/** Where other machines share the store: a whole one that is gone is missed by the end of its leases alone. */
const reconcileSharedEveryMs = 1_000;
const killAfterGraceMs = 2_500;
const recoverWithinMs = 1_000;

/**
 * The worker processes of this machine: keeps as many as wanted, watches them, and gives back the runs of those that
 * end.
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { settings, store, reporter, logger, clock } = options;
  const children = new Set<WorkerChild>();
  /** Those told to go, that nothing takes the place of any more. */
  const leaving = new Set<WorkerChild>();
  const recoveries = new Set<Promise<void>>();
  const ownIds = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let manifest: Manifest | null = null;
  const restarts = { shared: createRestartPolicy(), isolated: createRestartPolicy() };
  const tally = createPoolTally();
  const leaseTrust = createLeaseTrust({ leaseMs });
  let isClosing = false;
  const watchWorkers = createWorkerWatch({
    workers: children,
    memoryMb: settings.workerMemoryMb,
    clock,
    mapStack: options.mapStack,
  });

  const staying = (pool: WorkerChild["pool"]) =>
    [...children].filter((child) => child.pool === pool && !leaving.has(child));

  // ---- starting ----

  function spawn(pool: WorkerChild["pool"], onMessage: (message: WorkerToSupervisor) => void = () => {}): WorkerChild {
    const workerId = newId("wrk");
    const child: WorkerChild = forkWorker({
      start: { projectDir: settings.projectDir, mode: settings.mode, pool, workerId },
      env: options.env,
      memoryMb: settings.workerMemoryMb,
      onMessage: (message) => {
        hear(child, message);
        onMessage(message);
      },
      onExit: (death) => bury(child, death),
    });
    children.add(child);
    ownIds.add(workerId);
    return child;
  }

  /** Resolves when it takes runs (`true`), or has ended or said that it cannot (`false`). */
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

  // ---- hearing ----

  function hear(child: WorkerChild, message: WorkerToSupervisor): void {
    switch (message.type) {
      case "ready":
      case "failed":
      case "held":
        return;
      case "heartbeat":
        tally.heard(message);
        return hearEnds(child, message.ended);
      case "retiring":
        reporter.notice("warn", `Replacing a worker: ${message.reason}.`);
        dismiss(child);
        return replace(child);
    }
  }

  function hearEnds(child: WorkerChild, ended: readonly RunEndedReport[]): void {
    if (ended.length === 0) return;
    for (const run of ended) reporter.runEnded(run);
    // Their places under a concurrency limit may be what another worker waits for.
    for (const other of children) if (other !== child) other.send({ type: "wake" });
    if (child.pool === "isolated") isolation.look();
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

  // ---- burying ----

  function bury(child: WorkerChild, death: WorkerDeath): void {
    const wasLeaving = leaving.has(child);
    children.delete(child);
    leaving.delete(child);
    tally.died(isClosing ? { kind: "requested" } : death);
    const recovery = recover(child, isClosing ? { kind: "requested" } : death);
    recoveries.add(recovery);
    void recovery.finally(() => recoveries.delete(recovery));
    if (isClosing) return;
    if (wasLeaving) return;
    const pauseMs = pauseAfter(child, death);
    noticeDeath(child, death);
    if (pauseMs === 0) replace(child);
    else if (child.pool === "isolated") isolation.pause(pauseMs);
    else later(pauseMs, () => replace(child));
  }

  function pauseAfter(child: WorkerChild, death: WorkerDeath): number {
    const isOwnFault = death.kind === "crashed" || death.kind === "blocked";
    return restarts[child.pool].pauseAfter({
      startedAt: child.startedAt,
      readyAt: child.readyAt(),
      endedAt: performance.now(),
      isOwnFault,
      hadWork: child.active().length > 0,
    });
  }

  function noticeDeath(child: WorkerChild, death: WorkerDeath): void {
    const runs = child.active().map(({ runId }) => runId);
    const had =
      runs.length > 0
        ? ` It ran ${runs.slice(0, 3).join(", ")}${runs.length > 3 ? ` and ${runs.length - 3} more` : ""}.`
        : "";
    const isLoop =
      restarts[child.pool].failedStarts() > 2
        ? " This happens repeatedly: runs wait until a worker keeps running."
        : "";
    reporter.notice(
      child.isReady() ? "warn" : "error",
      `A worker process ${child.isReady() ? "" : "could not start: it "}${describeDeath(death)}${had}${isLoop}`,
    );
  }

  async function recover(child: WorkerChild, death: WorkerDeath): Promise<void> {
    const deadlines = new Map(child.active().map(({ runId, deadlineAt }) => [runId, deadlineAt]));
    await retryUntilDone(
      async () => {
        // A build that cannot be read must not keep runs from going on.
        manifest = (await options.readManifest().catch(() => null)) ?? manifest;
        const policyOf = (target: { slug: string }) =>
          manifest?.workflows.find(({ slug }) => slug === target.slug)?.retries ?? null;
        const { held, fates } = await recoverLostRuns({
          store,
          clock,
          workerId: child.workerId,
          death,
          deadlines,
          policyOf,
        });
        for (const [index, { fate }] of fates.entries()) {
          const run = held[index];
          if (run) tally.lost(run.target, fate);
          if (run && fate.kind === "fail")
            logger.warn("attempt ended its worker", {
              runId: run.id,
              ...targetLogFields(run.target),
              attempt: run.attempt,
              how: describeDeath(death),
            });
        }
      },
      {
        tries: isClosing ? 2 : 10,
        onFailure: (error) =>
          logger.error(
            "could not return the runs of a dead worker to the queue, they continue when its lease expires",
            {
              workerId: child.workerId,
              error,
            },
          ),
      },
    );
    if (isClosing) return;
    wake();
    isolation.look();
  }

  const isolation = createIsolation({
    store,
    clock,
    logger,
    workers: () => staying("isolated"),
    spawn: () => void spawn("isolated"),
    dismiss,
    later,
  });

  // ---- watching ----

  /**
   * A run may block its own process until its deadline; meanwhile the process cannot renew its claim. One that was
   * stopped loses it.
   */
  async function keepLeasesOfBlocked(): Promise<void> {
    for (const child of children) {
      const now = performance.now();
      if (now - child.heardAt() < leaseMs / 3 || now - child.livedAt() > leaseMs / 3) continue;
      const runs = await store.listHeldRuns(child.workerId);
      if (runs.length > 0) await store.extendLeases({ workerId: child.workerId, runs, now: clock.now(), leaseMs });
    }
  }

  /** What workers say that they execute, but for those that seem to be stopped. */
  function runsUnderWay(): Set<string> {
    const living = [...children].filter((child) => performance.now() - child.livedAt() < leaseMs);
    return new Set(living.flatMap((child) => child.active().map(({ runId }) => runId)));
  }

  async function reconcile(): Promise<void> {
    // Where this process was held up, the workers' signs of life may be there unread.
    await new Promise(setImmediate);
    const count = await leaseTrust.watch(async () => {
      await keepLeasesOfBlocked();
      const expired = leaseTrust.mayTrust() ? await store.reconcile(clock.now(), runsUnderWay()) : 0;
      await takeOver();
      return expired;
    });
    if (count > 0) wake();
    isolation.look();
  }

  /** What dead workers of this machine held that are not this pool's: of a service that was killed. */
  async function takeOver(): Promise<void> {
    const count = await recoverFromLastTime({
      store,
      clock,
      host: machineName(settings),
      isOwn: (id) => ownIds.has(id),
    });
    if (count === 0) return;
    reporter.notice(
      "info",
      `${formatCount(count, "run")} of the stopped service ${count === 1 ? "continues" : "continue"}.`,
    );
    wake();
  }

  function succeed(old: WorkerChild[], p: { hasStarted: boolean; isInForce: boolean }): void {
    if (isClosing) return;
    for (const child of old) {
      if (!p.isInForce) leaving.delete(child);
      child.send({ type: p.isInForce ? "drain" : "release" });
    }
    if (!p.isInForce)
      return reporter.notice(
        "error",
        "No worker could start with the new build. The workers of the previous build continue.",
      );
    if (!p.hasStarted)
      reporter.notice("error", "No worker has started with the new build yet. Runs wait until a worker starts.");
    isolation.look();
  }

  function wake(): void {
    for (const child of children) child.send({ type: "wake" });
  }

  function repeat(everyMs: number, what: string, task: () => Promise<void>): void {
    let isBusy = false;
    const logTrouble = createThrottledLog((message, fields) => logger.warn(message, fields));
    const timer = setInterval(() => {
      if (isBusy || isClosing) return;
      isBusy = true;
      void task()
        .catch((error: unknown) => logTrouble(`${what} failed, retrying`, { error }))
        .finally(() => (isBusy = false));
    }, everyMs);
    timers.add(timer);
  }

  return {
    async start() {
      await takeOver();
      // Those that were killed a moment ago may not be gone yet.
      for (const delayMs of [250, 1_000])
        later(
          delayMs,
          () =>
            void takeOver().catch((error: unknown) =>
              logger.warn("could not look up runs of dead workers, retrying", { error }),
            ),
        );
      manifest = await options.readManifest();
      repeat(watchEveryMs, "worker check", async () => {
        await watchWorkers();
        isolation.dismissIdle();
      });
      repeat(
        settings.database.kind === "postgres" ? reconcileSharedEveryMs : reconcileEveryMs,
        "lost run check",
        reconcile,
      );
      const starts = Array.from({ length: settings.workers }, () => spawnReady("shared"));
      isolation.look();
      await Promise.race(starts);
    },
    wake,
    cancel(runId) {
      for (const child of children) child.send({ type: "cancel", runId });
    },
    numbers: () => tally.read(children),
    async hasOldestWorker() {
      const oldest = (await store.listWorkers({ seenSince: clock.now() - leaseMs })).at(-1);
      return oldest === undefined || ownIds.has(oldest.id);
    },
    replaceAll(isServed) {
      const old = [...children].filter((child) => !leaving.has(child));
      // Nothing takes the place of the old ones: the new ones are on their way.
      for (const child of old) leaving.add(child);
      const allHeld = Promise.all(old.map((child) => child.hold()));
      const starts = Promise.all(Array.from({ length: settings.workers }, () => spawnReady("shared")));
      const finish = async (started: boolean[]) => {
        const hasStarted = started.some(Boolean);
        succeed(old, { hasStarted, isInForce: hasStarted || (await isServed) });
      };
      return { held: Promise.race([allHeld, starts]), done: starts.then(finish) };
    },
    async close(graceMs) {
      isClosing = true;
      for (const timer of timers) clearTimeout(timer);
      const last = [...children];
      for (const child of last) child.send({ type: "shutdown", graceMs });
      const killer = setTimeout(
        () => last.forEach((child) => child.kill({ kind: "requested" })),
        graceMs + killAfterGraceMs,
      );
      await Promise.all(last.map(({ exited }) => exited));
      clearTimeout(killer);
      // What is not given back by then goes on when its lease is over, or at the next start.
      await Promise.race([
        Promise.allSettled(recoveries),
        new Promise((resolve) => setTimeout(resolve, recoverWithinMs)),
      ]);
    },
  };
}
