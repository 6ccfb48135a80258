import type { RetryPolicy } from "../contract/manifest.ts";
import type { Target } from "../contract/target.ts";
import type { LostRun } from "../ports/store.ts";
import { planAttemptEnd } from "./plan-attempt-end.ts";

/** How a worker process ended. */
export type WorkerDeath =
  /** It was asked to go: nobody is to blame. */
  | { kind: "requested" }
  /** Somebody outside killed it (an operator, the kernel, a deploy). */
  | { kind: "killed"; signal: string }
  /**
   * It gave no sign of life, and the supervisor ended it: somebody had stopped it (SIGSTOP), or the machine gave it no
   * time.
   */
  | { kind: "stopped"; silentMs: number }
  /** By its own fault, in words: "ran out of memory", "ended with exit code 3". */
  | { kind: "crashed"; how: string }
  /**
   * Its event loop was blocked, and the supervisor ended it. `culprits`: the runs seen blocking it, `null` when that is
   * not known.
   */
  | { kind: "blocked"; blockedMs: number; culprits: readonly string[] | null; stack: string | null };

export interface HeldRun {
  id: string;
  target: Target;
  attempt: number;
  maxAttempts: number;
  /** Times that it was in a worker which ended by fault, or by an unknown hand. */
  crashes: number;
  /** When its attempt times out; `null` when the worker had not told. */
  deadlineAt: number | null;
}

/**
 * What becomes of the runs that a dead worker held. A run is blamed only when it is sure that it was the one: when it
 * was alone, or was seen at it. Where it is not sure, each runs again alone in a process, so that the next time it is.
 */
export function planLostRuns(p: {
  death: WorkerDeath;
  runs: readonly HeldRun[];
  policyOf: (target: Target) => RetryPolicy | null;
  now: number;
  random: () => number;
}): LostRun[] {
  return p.runs.map((run) => ({ id: run.id, fate: planFate(run, p) }));
}

type Fate = LostRun["fate"];
type Facts = Parameters<typeof planLostRuns>[0];

function planFate(run: HeldRun, facts: Facts): Fate {
  const { death, runs } = facts;
  if (death.kind === "requested") return { kind: "resume" };
  const isAlone = runs.length === 1;
  // A hand from outside says nothing about the run, unless it happens to it again when it is alone.
  if (death.kind === "killed" || death.kind === "stopped")
    return isAlone && run.crashes > 0 ? blame(run, facts) : { kind: "isolate" };
  if (isAlone) return isWithinDeadline(run, facts) ? { kind: "isolate" } : blame(run, facts);
  if (death.kind === "crashed" || death.culprits === null) return { kind: "isolate" };
  if (!death.culprits.includes(run.id)) return { kind: "resume" };
  return isWithinDeadline(run, facts) ? { kind: "isolate" } : blame(run, facts);
}

/** A run may block its own process until its timeout; it just may not have neighbours meanwhile. */
function isWithinDeadline(run: HeldRun, { death, now }: Facts): boolean {
  return death.kind === "blocked" && run.deadlineAt !== null && now < run.deadlineAt;
}

function blame(run: HeldRun, { death, policyOf, now, random }: Facts): Fate {
  const error = {
    name: "WorkerCrashed",
    message: `The worker process that ran this attempt ${describeDeath(death)}`,
    stack: death.kind === "blocked" ? death.stack : null,
  };
  const failure = { error, isTimeout: death.kind === "blocked", isRetryable: true };
  return {
    kind: "fail",
    ...planAttemptEnd({
      failure,
      policy: policyOf(run.target),
      attempt: run.attempt,
      maxAttempts: run.maxAttempts,
      now,
      random,
    }),
  };
}

/** Goes on from "The worker process …". */
export function describeDeath(death: WorkerDeath): string {
  switch (death.kind) {
    case "requested":
      return "was told to go.";
    case "killed":
      return `was killed by an external signal (${death.signal}).`;
    case "stopped":
      return `was killed because it sent no heartbeat for ${(death.silentMs / 1000).toFixed(1)} s. The process was paused, or the machine is overloaded.`;
    case "crashed":
      return `${death.how}.`;
    case "blocked":
      return `was killed because its event loop was blocked for ${(death.blockedMs / 1000).toFixed(1)} s. Look for a loop that never awaits, or split the work.`;
  }
}
