import type { Json } from "../contract/json.ts";
import type { Run } from "../contract/run.ts";
import type { EventResult } from "../domain/runs/event-waits.ts";
import type { EngineStore, ProgressResult, RunAttempt, RunProgress, StepRecord } from "./store/engine-store.ts";

/** A claimed run with the data that its worker needs to start or to continue it. */
export interface AssignedRun extends RunAttempt {
  payload: Json | null;
  input: Json | null;
  /** The stored steps and sleeps, to continue after them. */
  steps: StepRecord[];
  /** The headers of its delivery; `null` without a delivery or without tracing. */
  headers: Readonly<Record<string, string>> | null;
  /** The request that started the run, or the run that it replays; `null`: none did, or its transform does not use it. */
  request: RunRequest | null;
  /**
   * The run whose `onFailure` it executes; `null`: it executes `run`, has recorded that run as its input, or it is
   * removed.
   */
  failure: Run | null;
  /** The runs above it, whose sensitive values it may have. */
  parents: (Pick<Run, "trigger" | "target" | "payload" | "input" | "key"> & { events: EventResult[] })[];
}

/** The request that a transform reads. */
interface RunRequest {
  deliveryId: string;
  receivedAt: number;
  /** As recorded; empty if retention has removed the delivery. */
  headers: Readonly<Record<string, string>>;
}

/** A run of a worker. Each claim of a run has its own token. */
export interface RunClaim {
  id: string;
  token: string;
}

/**
 * The process that executes runs, as seen by the run channel. The handlers return immediately: the started work is
 * complete only when the worker reports it.
 */
export interface RunExecutor {
  /** Starts a run. */
  assign(run: AssignedRun): void;
  cancel(runId: string): void;
  /** The run belongs to another worker, or has ended: its code must stop, and nothing more of it is written. */
  lose(run: RunClaim): void;
  /** The leases of all runs were extended to this time. */
  renew(leaseUntil: number): void;
  /** The assigned runs whose end is not acknowledged. */
  runs(): readonly RunClaim[];
  /** Maximum concurrent runs. It can change with every run. */
  capacity(): number;
}

/** Writes the progress of runs. */
export interface ProgressWriter {
  /**
   * Resolves after the commit. Rejects with AppError `store_unavailable` if it can be tried again, with the same
   * number.
   */
  writeProgress(progress: RunProgress & { seq: number }): Promise<ProgressResult>;
  saveLive: EngineStore["saveLive"];
}

/**
 * A worker's connection to the process that has the store. If it breaks, runs continue: unacknowledged progress is kept
 * and sent again after a reconnection.
 */
export interface RunChannel extends ProgressWriter {
  /** Resolves when runs may be assigned. Rejects if the worker is not accepted. */
  open(executor: RunExecutor): Promise<void>;
  /** Reports the capacity if it has changed. */
  changed(): void;
  /** Reports that a run is no longer executed although its end was not written. */
  release(run: RunClaim): void;
  /** Accepts no more runs. Resolves when none can be assigned any more. */
  drain(): Promise<void>;
  close(): void;
}
