import type { DeliverySummary } from "../contract/delivery.ts";
import type { RunError, RunStatus } from "../contract/run.ts";
import type { ClaimedRun } from "./store.ts";

/**
 * Spans of one process: of deliveries in web, of runs in workers. None of these verbs ever throws or rejects: what
 * cannot be told of is lost.
 */
export interface Tracing {
  /** Of a delivery that was answered after so many milliseconds. */
  delivered(delivery: TracedDelivery, tookMs: number): void;
  /** Begins the span of a stretch of a run. `headers`: of its delivery, as they are kept; `null` where there is none. */
  beginRun(p: { run: ClaimedRun; version: string; headers: Readonly<Record<string, string>> | null }): RunTrace;
  /** Sends what waits, but takes no longer than that. */
  close(withinMs: number): Promise<void>;
}

export type TracedDelivery = Pick<
  DeliverySummary,
  "id" | "endpoint" | "receivedAt" | "method" | "headers" | "bodyBytes" | "outcome" | "responseStatus" | "problem"
>;

/** One stretch of a run: an attempt, or what is left of it after a sleep or a lost worker. */
export interface RunTrace {
  /** For what this code begins, the run's span is the active one. */
  within<T>(code: () => T): T;
  /** A span of its own, active for what this code begins. What it throws is recorded, and thrown on. */
  step<T>(name: string, code: () => Promise<T>): Promise<T>;
  end(p: { status: RunStatus | null; error: RunError | null }): void;
}
