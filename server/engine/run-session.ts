import { AppError } from "../contract/app-error.ts";
import type { ModelSpeech } from "../contract/agent-live.ts";
import type { Json } from "../contract/json.ts";
import type { RunStatus } from "../contract/run.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { runLogFields } from "../ports/run-log-fields.ts";
import type { ClaimedRun, EngineStore, NewTimelineEntry, RunTransition, Spend, StepRecord } from "../ports/store.ts";
import type { Interrupt } from "./run-interrupt.ts";

interface Progress {
  input?: Json;
  entries?: NewTimelineEntry[];
  steps?: StepRecord[];
  spend?: Spend;
}

/** What the model of an agent's run has said so far in the step under way. */
export interface LiveTold {
  step: string;
  startedAt: number;
  said: ModelSpeech;
}

/** All that one attempt writes, in order, under its token. */
export interface RunSession {
  /** Written soon, or with the next write. */
  note(progress: Progress): void;
  /** `false`: it was not written, because the run is over for this worker. */
  write(progress: Progress): Promise<boolean>;
  /** Shown until the step is over, or the run here. Never rejects: what the store does not take is left out. */
  tellLive(live: LiveTold): Promise<void>;
  /** The lease was renewed until then. */
  renewed(leaseUntil: number): void;
  /**
   * The lease has run out unnoticed, since the process was stopped or held up: only a write tells whether the run is
   * this worker's still.
   */
  isOverdue(): boolean;
  /** The last write: nothing is taken after it. The state that the run then has; `null`: another worker has it. */
  end(transition: RunTransition, entries: NewTimelineEntry[], steps?: StepRecord[]): Promise<RunStatus | null>;
  /** Forgets what was not written, and writes nothing more. */
  abandon(): void;
}

const flushMs = 50;
const maxEntriesPerWrite = 500;
const maxPauseMs = 2_000;

export function createRunSession(p: {
  run: ClaimedRun;
  store: Pick<EngineStore, "writeProgress" | "saveLive">;
  clock: Clock;
  logger: Logger;
  onInterrupt: (interrupt: Interrupt) => void;
}): RunSession {
  const { run } = p;
  const pending = new PendingProgress();
  let { leaseUntil } = run;
  let isSealed = false;
  let isAbandoned = false;
  let isCancelRequested = false;
  let flushTimer: NodeJS.Timeout | null = null;
  let lastWrite: Promise<boolean> = Promise.resolve(true);
  const live = createLiveWriter(p);

  /** Writes are done one after the other, so that the timeline has the order of events. */
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
      const write = {
        runId: run.id,
        token: run.token,
        now: p.clock.now(),
        entries: [],
        ...progress,
        ...(clearsLive ? { clearsLive } : {}),
        ...(transition ? { transition } : {}),
      };
      const { held, cancelRequested } = await retryWhileUnavailable(
        () => p.store.writeProgress(write),
        () => isAbandoned,
      );
      isCancelRequested = cancelRequested;
      if (!held) p.onInterrupt({ kind: "lost" });
      else if (cancelRequested && !transition) p.onInterrupt({ kind: "canceled" });
      return held;
    } catch (error) {
      // Not written, so not known: the lease runs out, and another worker goes on from what is in the store.
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
    async tellLive(told) {
      if (!isSealed && !isAbandoned) await live.write(told);
    },
    renewed: (until) => void (leaseUntil = until),
    isOverdue: () => p.clock.now() >= leaseUntil,
    async end(transition, entries, steps = []) {
      if (isSealed) return null;
      isSealed = true;
      pending.add({ entries, steps });
      if (!(await enqueue(pending.take(), transition))) return null;
      // The store ends a run that would wait, but that somebody asked to stop meanwhile.
      return isCancelRequested && (transition.to === "waiting" || transition.to === "queued")
        ? "canceled"
        : transition.to;
    },
    abandon() {
      isSealed = true;
      isAbandoned = true;
      if (flushTimer) clearTimeout(flushTimer);
    },
  };
}

/** One write is under way at a time: whoever tells waits for it. */
function createLiveWriter({
  run,
  store,
  clock,
  logger,
}: {
  run: ClaimedRun;
  store: Pick<EngineStore, "saveLive">;
  clock: Clock;
  logger: Logger;
}) {
  let shown: string | null = null;
  let writing: Promise<void> = Promise.resolve();

  async function save({ step, startedAt, said }: LiveTold): Promise<void> {
    try {
      await store.saveLive({
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
    write(told: LiveTold): Promise<void> {
      shown = told.step;
      writing = save(told);
      return writing;
    },
    /**
     * Whether this write ends what is shown: its step is over, or the run is in other hands. What was told before it is
     * written then.
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

  add(progress: Progress): void {
    if (progress.input !== undefined) this.input = progress.input;
    if (progress.spend) this.spend = progress.spend;
    this.entries.push(...(progress.entries ?? []));
    for (const step of progress.steps ?? []) this.steps.set(step.name, step);
  }

  take(): Progress {
    const { input, entries, steps, spend } = this;
    this.input = undefined;
    this.spend = undefined;
    this.entries = [];
    this.steps = new Map();
    return {
      ...(input === undefined ? {} : { input }),
      entries,
      steps: [...steps.values()],
      ...(spend ? { spend } : {}),
    };
  }
}

/**
 * A store that is busy or full must not cost a run its step, however long it takes: what the step has done cannot be
 * undone. Where another worker takes the run meanwhile, the token tells. Ends when the run is abandoned, or with its
 * process. (That the store is away is logged where leases are renewed.)
 */
async function retryWhileUnavailable<T>(write: () => Promise<T>, isAbandoned: () => boolean): Promise<T> {
  for (let waitMs = 50; ; waitMs = Math.min(maxPauseMs, waitMs * 2)) {
    try {
      return await write();
    } catch (error) {
      const isUnavailable = error instanceof AppError && error.code === "store_unavailable";
      if (!isUnavailable || isAbandoned()) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
