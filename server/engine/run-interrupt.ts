import {
  ProcessExitCalled,
  RunCanceled,
  RunEnded,
  RunTakenOver,
  RunTimedOut,
  WorkerShuttingDown,
} from "./run-errors.ts";

/** Why an attempt ends before its code has. */
export type Interrupt =
  | { kind: "canceled" }
  | { kind: "timed_out"; timeoutMs: number }
  /** The worker goes down: the run goes back to the queue with the same attempt. */
  | { kind: "handed_back" }
  /** It was claimed ahead, and no place becomes free for it: its code has not begun. */
  | { kind: "passed_on" }
  /** Another worker has it: nothing may be written any more. */
  | { kind: "lost" }
  /** Its code did what would have ended the process. */
  | { kind: "crashed"; error: unknown };

/** The reason that the code sees in `ctx.signal`, and in calls of `ctx` from then on. */
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
