import type { Target } from "../contract/project/target.ts";
import { trackWork } from "../domain/event-loop.ts";
import { TransientMap } from "../domain/transient-map.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProjectCode } from "../ports/project.ts";
import type { AssignedRun, RunChannel, RunClaim } from "../ports/run-channel.ts";
import { executeRun, type ExecuteRunOptions, type RunEnding, type RunHandle, type Slot } from "./execute-run.ts";

/** Code that still runs this long after its run has ended is considered stuck. */
const maxZombieMs = 30_000;
const maxReturnMs = 2_000;
/** Maximum time that a run claimed ahead waits for a slot. Afterwards another worker can take it. */
const maxSlotWaitMs = 1_000;
const checkWaitingEveryMs = 250;

export interface WorkerLoopOptions {
  channel: RunChannel;
  /** The code of the build that executes a run. */
  codeOf: (run: AssignedRun) => ProjectCode;
  /** Number of runs that this process can have at a time, without those that are claimed ahead. */
  capacity: number;
  clock: Clock;
  logger: Logger;
  random: () => number;
  slots?: RunSlots;
  /** Called when a run is assigned, before its code starts. */
  onAssigned?: () => void;
  onRunStarted?: (run: AssignedRun) => void;
  /** See ExecuteRunOptions. */
  traceRun?: ExecuteRunOptions["traceRun"];
  onRunEnded: (run: AssignedRun, ending: RunEnding) => void;
  onRetire: (reason: string) => void;
}

/** A run whose code is executing. `deadlineAt`: when the attempt times out. */
export interface ActiveRun {
  runId: string;
  target: Target;
  deadlineAt: number;
}

export interface WorkerLoop {
  /** Resolves when runs may be assigned. Rejects if the worker is not accepted. */
  start(): Promise<void>;
  /** Accepts no more runs. Resolves when all active runs have ended. */
  drain(): Promise<void>;
  /**
   * Accepts no more runs, and starts no further step. Runs return to the queue when their steps in flight have ended.
   * After `drainMs`, the rest are aborted and return to the queue.
   */
  shutDown(drainMs: number): Promise<void>;
  /** The runs whose code is executing, or about to. */
  active(): ActiveRun[];
  /** The number of all its runs: also of those whose end is not written yet. */
  countRuns(): number;
  /** Closes the connection. */
  close(): void;
}

/** Executes the runs that are assigned to this process. */
export function createWorkerLoop(options: WorkerLoopOptions): WorkerLoop {
  const { channel, slots } = options;
  const handles = new TransientMap<string, RunHandle>();
  const executing = trackWork();
  let waitingCheck: NodeJS.Timeout | undefined;
  let draining: Promise<void> | null = null;
  let isShuttingDown = false;

  function assign(run: AssignedRun): void {
    const handle = executeRun(run, { ...options, code: options.codeOf(run), progress: channel });
    handles.set(run.id, handle);
    // Claimed while the worker was shutting down: its code has not started.
    if (isShuttingDown) handle.interrupt({ kind: "worker_shutdown" });
    options.onAssigned?.();
    void untilEnd(run, handle).finally(executing.begin());
  }

  async function untilEnd(run: AssignedRun, handle: RunHandle): Promise<void> {
    const ending = await handle.ended;
    if (handles.get(run.id) === handle) handles.delete(run.id);
    if (ending.status === null) channel.release({ id: run.id, token: run.token });
    options.onRunEnded(run, ending);
    channel.changed();
    if (ending.status !== "waiting" && !handle.hasCodeEnded()) watchForZombie(handle);
  }

  /** Code that ignores its signal keeps memory and can use more: the process is replaced. */
  function watchForZombie(handle: RunHandle): void {
    const timer = setTimeout(
      () =>
        options.onRetire(
          `the code of run ${handle.run.id} is still running although the run has ended; it should stop on ctx.signal`,
        ),
      maxZombieMs,
    );
    timer.unref();
    void handle.settled.then(() => clearTimeout(timer));
  }

  function returnWaiting(): void {
    const late = [...handles.values()].filter((handle) => (handle.waitedMs() ?? 0) > maxSlotWaitMs);
    if (late.length === 0) return;
    slots?.stopAhead();
    for (const handle of late) handle.interrupt({ kind: "slot_timeout" });
  }

  function lose({ id, token }: RunClaim): void {
    const handle = handles.get(id);
    if (handle?.run.token === token) handle.interrupt({ kind: "lost" });
  }

  const drain = () => (draining ??= channel.drain().then(() => executing.settled()));

  return {
    async start() {
      waitingCheck = setInterval(returnWaiting, checkWaitingEveryMs);
      await channel.open({
        assign,
        cancel: (runId) => handles.get(runId)?.interrupt({ kind: "canceled" }),
        lose,
        renew(leaseUntil) {
          for (const handle of handles.values()) handle.renewed(leaseUntil);
        },
        runs: () => [...handles.values()].map(({ run: { id, token } }) => ({ id, token })),
        capacity: () => options.capacity + (slots?.ahead() ?? 0),
      });
    },
    drain,
    async shutDown(drainMs) {
      isShuttingDown = true;
      const drained = drain();
      for (const handle of handles.values()) handle.returnAfterSteps();
      const hasEnded = await isWithin(drained, drainMs);
      if (hasEnded) return;
      for (const handle of handles.values()) handle.interrupt({ kind: "worker_shutdown" });
      await isWithin(drained, maxReturnMs);
    },
    active() {
      const active: ActiveRun[] = [];
      for (const handle of handles.values()) {
        const { id: runId, target } = handle.run;
        if (!handle.hasCodeEnded()) active.push({ runId, target, deadlineAt: handle.deadlineAt() });
      }
      return active;
    },
    countRuns: () => handles.size,
    close() {
      clearInterval(waitingCheck);
      channel.close();
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

// ---- slots ----

/** Slots for running code in this process. A run that was claimed ahead waits for one. */
export interface RunSlots {
  enter(): Slot;
  /** How many runs can be claimed beyond the free slots: none, unless recent runs completed very quickly. */
  ahead(): number;
  /**
   * Claims no more runs ahead, until enough runs were quick again. Called after runs that were claimed ahead had to
   * wait.
   */
  stopAhead(): void;
}

/** A run of a shorter duration costs less than its claim. Claims and ends of many runs then share a commit. */
const maxQuickMs = 20;

export function createRunSlots(p: { slots: number; maxAhead: number; now: () => number }): RunSlots {
  const { slots, maxAhead, now } = p;
  /** The runs that wait, in order. */
  const queue = new TransientMap<() => void, true>();
  let taken = 0;
  let consecutiveQuick = 0;

  function enter(): Slot {
    const waiting = Promise.withResolvers<void>();
    const isFree = taken < slots;
    let beganAt: number | null = null;
    let isReleased = false;

    function take(): void {
      taken += 1;
      beganAt = now();
      waiting.resolve();
    }

    if (isFree) take();
    else queue.set(take, true);
    return {
      free: isFree ? null : waiting.promise,
      hasBegun: () => beganAt !== null,
      release() {
        if (isReleased) return;
        isReleased = true;
        if (beganAt === null) return void queue.delete(take);
        taken -= 1;
        consecutiveQuick = now() - beganAt <= maxQuickMs ? consecutiveQuick + 1 : 0;
        const next = queue.keys().next().value;
        if (!next) return;
        queue.delete(next);
        next();
      },
    };
  }

  return {
    enter,
    ahead: () => (consecutiveQuick >= slots ? maxAhead : 0),
    stopAhead: () => void (consecutiveQuick = 0),
  };
}
