import type { EventWait, NewTimelineEntry, StepRecord } from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { OpenCall } from "./completions.ts";

/** What a run waits for when it is suspended. */
export interface Suspension {
  sleeps: OpenSleep[];
  waits: OpenWait[];
  calls: OpenChildCall[];
}

/** A wait for events, until the run has one of them. Only the store can end it: it has the deliveries. */
export interface OpenWait {
  record: StepRecord;
  events: readonly EventWait[];
}

export interface OpenSleep {
  record: StepRecord;
  until: number;
}

/** A call of a child run that has not ended. Only the store can end it. */
export interface OpenChildCall {
  record: StepRecord;
}

/** What the calls of a context that suspend a run have in common. */
export interface ContextRules {
  /** `false`: the run sleeps, so the call must never resolve. Throws if the run has ended in this process. */
  isOpen(): boolean;
  /** Begins a call. Of a stored name, it is the call of the earlier executions. */
  begin(
    call: string,
    name: unknown,
    kind: StepRecord["kind"],
  ): { key: string; known: StepRecord | undefined; open: OpenCall };
  /** Resolves when the code may receive the completion of an earlier execution. */
  completeStored(open: OpenCall, record: StepRecord, at: number): Promise<void>;
  /** Stores the number of a completion, then delivers it. */
  completeElapsed(open: OpenCall, p: ElapsedCall): Promise<void>;
  /** While this work is in progress, the run is not suspended. */
  whileInFlight<T>(work: () => Promise<T>): Promise<T>;
  considerSuspending(): void;
}

export interface ElapsedCall {
  record: StepRecord;
  at: number;
  entries: NewTimelineEntry[];
  /** Child runs that begin with it. */
  children?: readonly NewRun[];
  /** It completes in the same way if it is not stored. So it is written later if no other call could complete first. */
  isRepeatable: boolean;
}

/** A new promise each time: a shared promise would keep all its waiters in memory. */
export const never = (): Promise<never> => new Promise(() => {});
