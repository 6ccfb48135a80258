import {
  ProcessExitCalled,
  RunCanceled,
  RunEnded,
  RunTakenOver,
  RunTimedOut,
  WorkerShuttingDown,
} from "./run-errors.ts";

/** Why an attempt ends before its code. */
export type Interrupt =
  | { kind: "canceled" }
  | { kind: "timed_out"; timeoutMs: number }
  /** The worker shuts down: the run returns to the queue with the same attempt number. */
  | { kind: "handed_back" }
  /** The run was claimed ahead, but no slot becomes free: its code has not started. */
  | { kind: "passed_on" }
  /** Another worker has the run: this worker must not write. */
  | { kind: "lost" }
  /** Its code would have crashed or exited the process. */
  | { kind: "crashed"; error: unknown };

/** The reason that the code gets from `ctx.signal`, and from every later call of `ctx`. */
export function interruptReason(interrupt: Interrupt): Error {
  switch (interrupt.kind) {
    case "canceled":
      return new RunCanceled();
    case "timed_out":
      return new RunTimedOut(interrupt.timeoutMs);
    case "handed_back":
    case "passed_on":
      return new WorkerShuttingDown();
    case "lost":
      return new RunTakenOver();
    case "crashed":
      return interrupt.error instanceof ProcessExitCalled ? interrupt.error : new RunEnded();
  }
}
