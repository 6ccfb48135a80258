import type { ModelOutput } from "../contract/agent/trace.ts";
import { isStoreUnavailable } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { RunStatus } from "../contract/run.ts";
import { isEnded, resolveTransition } from "../shared/runs/run-state.ts";
import type { Clock } from "../ports/clock.ts";
import { type Logger, runLogFields } from "../ports/logger.ts";
import type { ProgressWriter } from "../ports/run-channel.ts";
import type {
  EventWait,
  NewTimelineEntry,
  RunAttempt,
  RunTransition,
  Spend,
  StepRecord,
} from "../ports/store/engine-store.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import type { Interrupt } from "./run-errors.ts";

interface Progress extends Pick<RunEnd, "waits" | "closesWaits" | "awaitsChildren" | "hasFamily"> {
  input?: Json;
  entries?: NewTimelineEntry[];
  steps?: StepRecord[];
  spend?: Spend;
  /** Child runs that begin with their steps. */
  children?: readonly NewRun[];
}

/** The model's output so far in the current step of an agent's run. */
export interface LiveUpdate {
  step: string;
  startedAt: number;
  said: ModelOutput;
}

/** The last write of an execution. */
interface RunEnd {
  transition: RunTransition;
  entries: NewTimelineEntry[];
  steps?: StepRecord[];
  /** The events that the run waits for. */
  waits?: readonly EventWait[];
  /** Whether the run has waited for events, which it no longer does after its end. */
  closesWaits?: boolean;
  /** Whether it also waits for child runs. */
  awaitsChildren?: boolean;
  /** Whether the run has a parent or children. */
  hasFamily?: boolean;
}

/** Writes the progress of one attempt, in order, with its token. */
export interface RunSession {
  /** Queues entries. They are written soon, or with the next write. */
  note(progress: Progress): void;
  /** Resolves to `false` if it was not written, because this worker no longer has the run. */
  write(progress: Progress): Promise<boolean>;
  /** Shown until the step ends, or this worker's execution of the run. Never rejects: a failed write is dropped. */
  publishLive(live: LiveUpdate): Promise<void>;
  /** Called after the lease was renewed until this time. */
  renewed(leaseUntil: number): void;
  /**
   * Whether the lease expired unnoticed, because the process was paused or blocked. Only a write then shows whether
   * this worker still has the run.
   */
  isOverdue(): boolean;
  /** Makes the last write. Resolves to the resulting status of the run; `null` if another worker has it. */
  end(end: RunEnd): Promise<RunStatus | null>;
  /** Drops unwritten progress and stops writing. */
  abandon(): void;
}

const flushMs = 50;
const maxEntriesPerWrite = 500;
const maxPauseMs = 2_000;

export function createRunSession(p: {
  run: RunAttempt;
  progress: ProgressWriter;
  clock: Clock;
  logger: Logger;
  onInterrupt: (interrupt: Interrupt) => void;
}): RunSession {
  const { run } = p;
  const pending = new PendingProgress();
  let { leaseUntil } = run;
  let writes = 0;
  let isSealed = false;
  let isAbandoned = false;
  let isCancelRequested = false;
  let flushTimer: NodeJS.Timeout | null = null;
  let lastWrite: Promise<boolean> = Promise.resolve(true);
  const live = createLiveWriter(p);

  /** Writes are sequential, so that the timeline has the order of events. */
  function enqueue(progress: Progress, transition?: RunTransition): Promise<boolean> {
    if (flushTimer) clearTimeout(flushTimer);
    flushTimer = null;
    lastWrite = lastWrite.then(() => writeInParts(progress, transition));
    return lastWrite;
  }

  async function writeInParts(progress: Progress, transition?: RunTransition): Promise<boolean> {
    const all: Progress = { ...progress, entries: progress.entries ?? [], steps: progress.steps ?? [] };
    const entries = all.entries ?? [];
    for (let from = 0; entries.length - from > maxEntriesPerWrite; from += maxEntriesPerWrite) {
      if (!(await writeOnce({ entries: entries.slice(from, from + maxEntriesPerWrite) }))) return false;
      all.entries = entries.slice(from + maxEntriesPerWrite);
    }
    return await writeOnce(all, transition);
  }

  async function writeOnce(progress: Progress, transition?: RunTransition): Promise<boolean> {
    if (isAbandoned) return false;
    try {
      const clearsLive = await live.isToClear(progress.steps ?? [], transition);
      writes += 1;
      const write = {
        runId: run.id,
        token: run.token,
        seq: writes,
        // A run has ended when its code did. The store derives the last entry from its end if both have the same time.
        now: (transition && progress.entries?.at(-1)?.at) ?? p.clock.now(),
        entries: [],
        ...progress,
        ...(clearsLive ? { clearsLive } : {}),
        ...(transition ? { transition } : {}),
      };
      const { held, cancelRequested } = await retryWhileUnavailable(
        () => p.progress.writeProgress(write),
        () => isAbandoned,
      );
      isCancelRequested = cancelRequested;
      if (!held) p.onInterrupt({ kind: "lost" });
      else if (cancelRequested && !transition) p.onInterrupt({ kind: "canceled" });
      return held;
    } catch (error) {
      // The progress is lost: the lease expires, and another worker continues from the stored state.
      if (!isAbandoned)
        p.logger.error("run progress could not be written; another worker will continue the run", {
          ...runLogFields(run),
          error,
        });
      isAbandoned = true;
      p.onInterrupt({ kind: "lost" });
      return false;
    }
  }

  return {
    note(progress) {
      if (isSealed) return;
      pending.add(progress);
      flushTimer ??= setTimeout(() => void enqueue(pending.take()), flushMs);
    },
    async write(progress) {
      if (isSealed) return false;
      pending.add(progress);
      return await enqueue(pending.take());
    },
    async publishLive(update) {
      if (!isSealed && !isAbandoned) await live.write(update);
    },
    renewed: (until) => void (leaseUntil = until),
    isOverdue: () => p.clock.now() >= leaseUntil,
    async end({
      transition,
      entries,
      steps = [],
      waits,
      closesWaits = false,
      awaitsChildren = false,
      hasFamily = false,
    }) {
      if (isSealed) return null;
      isSealed = true;
      pending.add({ entries, steps });
      const last = {
        ...pending.take(),
        ...(waits && { waits }),
        ...(closesWaits && isEnded(transition.to) && { closesWaits }),
        ...(awaitsChildren && { awaitsChildren }),
        ...(hasFamily && { hasFamily }),
      };
      if (!(await enqueue(last, transition))) return null;
      // The same rule as in the store.
      return resolveTransition(transition, { isCancelRequested }).to;
    },
    abandon() {
      isSealed = true;
      isAbandoned = true;
      if (flushTimer) clearTimeout(flushTimer);
    },
  };
}

/** One write at a time: callers wait for it. */
function createLiveWriter({
  run,
  progress,
  clock,
  logger,
}: {
  run: RunAttempt;
  progress: Pick<ProgressWriter, "saveLive">;
  clock: Clock;
  logger: Logger;
}) {
  let shown: string | null = null;
  let writing: Promise<void> = Promise.resolve();

  async function save({ step, startedAt, said }: LiveUpdate): Promise<void> {
    try {
      await progress.saveLive({
        runId: run.id,
        token: run.token,
        step,
        attempt: run.attempt,
        startedAt,
        now: clock.now(),
        said,
      });
    } catch (error) {
      logger.debug("live model output could not be written", { ...runLogFields(run), step, error });
    }
  }

  return {
    write(update: LiveUpdate): Promise<void> {
      shown = update.step;
      writing = save(update);
      return writing;
    },
    /**
     * Whether this write ends the live output: its step has ended, or another worker has the run. Earlier output is
     * already written by then.
     */
    async isToClear(steps: readonly StepRecord[], transition: RunTransition | undefined): Promise<boolean> {
      if (
        shown === null ||
        (!transition && !steps.some(({ name, finishedAt }) => name === shown && finishedAt !== null))
      )
        return false;
      shown = null;
      await writing;
      return true;
    },
  };
}

class PendingProgress {
  private input: Json | undefined;
  private entries: NewTimelineEntry[] = [];
  private steps = new Map<string, StepRecord>();
  private spend: Spend | undefined;
  private children: NewRun[] = [];

  add(progress: Progress): void {
    if (progress.input !== undefined) this.input = progress.input;
    if (progress.spend) this.spend = progress.spend;
    this.entries.push(...(progress.entries ?? []));
    this.children.push(...(progress.children ?? []));
    for (const step of progress.steps ?? []) this.steps.set(step.name, step);
  }

  take(): Progress {
    const { input, entries, steps, spend, children } = this;
    this.input = undefined;
    this.spend = undefined;
    this.entries = [];
    this.children = [];
    this.steps = new Map();
    return {
      ...(input === undefined ? {} : { input }),
      entries,
      steps: [...steps.values()],
      ...(spend ? { spend } : {}),
      ...(children.length > 0 ? { children } : {}),
    };
  }
}

/**
 * Retries a write as long as the store is busy or full, because the side effects of a step cannot be undone. If another
 * worker takes the run in the meantime, its token shows it. Ends when the run is abandoned, or with the process. (The
 * lease renewal logs that the store is unavailable.)
 */
async function retryWhileUnavailable<T>(write: () => Promise<T>, isAbandoned: () => boolean): Promise<T> {
  for (let waitMs = 50; ; waitMs = Math.min(maxPauseMs, waitMs * 2)) {
    try {
      return await write();
    } catch (error) {
      if (!isStoreUnavailable(error) || isAbandoned()) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
