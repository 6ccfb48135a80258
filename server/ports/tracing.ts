import type { DeliverySummary } from "../contract/delivery.ts";
import type { RunError, RunStatus } from "../contract/run.ts";
import type { RunAttempt } from "./store/engine-store.ts";

/**
 * Spans of one process: deliveries in the receiver, runs in workers. No operation throws or rejects: spans that cannot
 * be exported are lost.
 */
export interface Tracing {
  /** Records the span of a delivery that was answered after this many milliseconds. */
  delivered(delivery: TracedDelivery, tookMs: number): void;
  /**
   * Starts the span of one execution of a run. `headers` are the stored headers of its delivery; `null` without a
   * delivery.
   */
  beginRun(p: {
    run: RunAttempt;
    version: string;
    headers: Readonly<Record<string, string>> | null;
    /** Applied to the names of steps and the texts of exceptions: removes sensitive values. */
    hide: (text: string) => string;
  }): RunTrace;
  /** Exports pending spans within this time. */
  close(withinMs: number): Promise<void>;
}

export type TracedDelivery = Pick<
  DeliverySummary,
  "id" | "endpoint" | "receivedAt" | "method" | "headers" | "bodyBytes" | "outcome" | "responseStatus" | "problem"
>;

/** One execution of a run: an attempt, or the rest of it after a sleep or a lost worker. */
export interface RunTrace {
  /** Makes the run's span active for this code and everything that it starts. */
  within<T>(code: () => T): T;
  /** Creates a child span, active for this code. An exception is recorded and rethrown. */
  step<T>(name: string, code: () => Promise<T>): Promise<T>;
  end(p: { status: RunStatus | null; error: RunError | null }): void;
}
