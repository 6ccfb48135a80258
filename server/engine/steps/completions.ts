import { clearTimeout as clearRealTimeout, setTimeout as realTimeout } from "node:timers";
import type { StepRecord } from "../../ports/store/engine-store.ts";

/** A call of `ctx`, until the code of the run receives its completion. */
export interface OpenCall {
  /** The number of its completion. A call that failed in an earlier attempt keeps its number. `null`: it has none yet. */
  readonly sequence: number | null;
  /** Gives the completion its number, the next one by default. It is part of the record that is written. */
  number(): number;
  /** Call it when the completion is stored with its number. Resolves when the code receives it. */
  delivered(): Promise<void>;
  /**
   * Call it when something is over that ends by itself, such as a sleep. Resolves when its completion may get its
   * number: after the stored ones, in the order of their times.
   */
  over(at: number): Promise<void>;
}

export interface Completions {
  begin(record: Pick<StepRecord, "sequence"> | undefined): OpenCall;
  /** Whether a completion is about to be delivered. */
  isBusy(): boolean;
  /** The number of calls that have not completed. */
  countOpen(): number;
  /** Releases all calls that wait for their delivery. */
  close(): void;
}

interface Call {
  sequence: number | null;
  deliver: (() => void) | null;
}

/**
 * The time that a completion waits for a call whose completion is stored before it. The code usually makes such a call
 * at once. It makes it later if it does something else first, such as reading a file, and never if it has changed.
 */
const maxCallDelayMs = 100;

/**
 * Delivers completions to the code of a run one at a time, in the order of their numbers: steps, sleeps, approvals and
 * failures. A completion is stored with its number before the code receives it. So the code takes the same path when it
 * is executed again: a `Promise.race` has the same winner, and the calls that follow have the same order and names.
 * Between two deliveries, everything that the code does at once is done.
 */
export function createCompletions(p: {
  /** The stored steps, sleeps and approvals. */
  stored: readonly Pick<StepRecord, "sequence">[];
  /** Called when there is nothing to deliver. */
  onIdle: () => void;
}): Completions {
  /** The stored numbers whose calls have not been made in this execution. */
  const missing = new Set(p.stored.flatMap(({ sequence }) => sequence ?? []));
  /** The open calls that have a number. */
  const numbered = new Map<number, Call>();
  /** Those whose turn was over when they were made. */
  const late = new Map<number, Call>();
  let elapsed: { at: number; settle: () => void }[] = [];
  let last = 0;
  for (const number of missing) last = Math.max(last, number);
  let next = 1;
  let openCalls = 0;
  /** The number of completions that are stored, but not delivered. */
  let ready = 0;
  let isPlanned = false;
  /** Whether the code has left out a call: it is not waited for another one. */
  let hasDiverged = false;
  let waiting: NodeJS.Timeout | null = null;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(turn);
  }

  function turn(): void {
    isPlanned = false;
    const isWanted = ready > 0 || elapsed.length > 0;
    const call = isWanted ? findNext() : null;
    if (call === "missing") {
      waiting ??= realTimeout(() => {
        stopWaiting();
        hasDiverged = true;
        plan();
      }, maxCallDelayMs);
      return;
    }
    stopWaiting();
    if (call?.deliver) {
      deliver(call, call.deliver);
      return plan();
    }
    if (elapsed.length > 0) return settleElapsed();
    p.onIdle();
  }

  /** The call with the lowest number. */
  function findNext(): Call | "missing" | null {
    if (late.size > 0) return late.get([...late.keys()].reduce((a, b) => Math.min(a, b))) ?? null;
    for (; next <= last; next += 1) {
      const call = numbered.get(next);
      if (call) return call;
      if (!hasDiverged && missing.has(next)) return "missing";
    }
    return null;
  }

  function deliver({ sequence }: Call, resolve: () => void): void {
    numbered.delete(sequence ?? 0);
    late.delete(sequence ?? 0);
    openCalls -= 1;
    ready -= 1;
    resolve();
  }

  function settleElapsed(): void {
    const settling = elapsed.toSorted((a, b) => a.at - b.at);
    elapsed = [];
    for (const { settle } of settling) settle();
  }

  function stopWaiting(): void {
    if (waiting) clearRealTimeout(waiting);
    waiting = null;
  }

  function register(call: Call, sequence: number): void {
    (sequence < next ? late : numbered).set(sequence, call);
  }

  return {
    begin(record) {
      const call: Call = { sequence: record?.sequence ?? null, deliver: null };
      openCalls += 1;
      if (call.sequence !== null) {
        missing.delete(call.sequence);
        register(call, call.sequence);
        plan();
      }
      return {
        get sequence() {
          return call.sequence;
        },
        number() {
          if (call.sequence !== null) return call.sequence;
          last += 1;
          call.sequence = last;
          register(call, last);
          return last;
        },
        delivered: () =>
          new Promise((resolve) => {
            call.deliver = resolve;
            ready += 1;
            plan();
          }),
        over: (at) =>
          new Promise((settle) => {
            elapsed.push({ at, settle });
            plan();
          }),
      };
    },
    isBusy: () => isPlanned || waiting !== null,
    countOpen: () => openCalls,
    close() {
      stopWaiting();
      for (const { deliver: release } of [...numbered.values(), ...late.values()]) release?.();
      settleElapsed();
    },
  };
}
