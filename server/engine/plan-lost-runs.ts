import type { Target } from "../contract/project/target.ts";
import { type FailingTarget, planFailureRun, policyOf } from "../domain/runs/failure-run.ts";
import type { LostRun } from "../ports/store/engine-store.ts";
import { planAttemptEnd } from "./plan-run-end.ts";
import { formatCount, formatDuration } from "../shared/format.ts";

/** How a worker process ended. */
export type WorkerDeath =
  /** It was asked to shut down: no run is to blame. */
  | { kind: "requested" }
  /** It was killed from outside: by an operator, the kernel or a deployment. */
  | { kind: "killed"; signal: string }
  /** It sent no heartbeat, and the supervisor killed it: it was paused (SIGSTOP), or the machine is overloaded. */
  | { kind: "stopped"; silentMs: number }
  /** It crashed. `how` describes the cause: "ran out of memory", "ended with exit code 3". */
  | { kind: "crashed"; how: string }
  /**
   * Its event loop was blocked, and the supervisor killed it. `culprits`: the runs that blocked it; `null` if unknown.
   * `othersWaiting`: the number of isolated runs that waited for its place, if it was killed for them.
   */
  | {
      kind: "blocked";
      blockedMs: number;
      culprits: readonly string[] | null;
      stack: string | null;
      othersWaiting?: number;
    };

export interface HeldRun {
  id: string;
  /** The build that accepted it. */
  version: string;
  target: Target;
  /** The run whose `onFailure` it executes. */
  failureOf: string | null;
  attempt: number;
  maxAttempts: number;
  /** The attempts before a person last resumed it. */
  attemptsBefore: number;
  /** Number of worker crashes or external kills that the run was part of. */
  crashes: number;
  /** The time at which its attempt times out; `null` if the worker had not reported it. */
  deadlineAt: number | null;
}

/** What decides which build executes a run. */
export type RunOfBuild = Pick<HeldRun, "version" | "target">;

/** The build that executed a run. */
export interface ExecutingBuild {
  version: string;
  /** The run's target in this build. */
  target: FailingTarget;
}

/**
 * Decides the fate of the runs of a dead worker. A run is blamed only with certainty: if it ran alone, or was seen
 * blocking. Otherwise each run is executed again alone in a process, so that the next crash is unambiguous.
 */
export function planLostRuns(p: {
  death: WorkerDeath;
  runs: readonly HeldRun[];
  buildOf: (run: HeldRun) => ExecutingBuild;
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
  // A kill from outside does not incriminate a run, unless it happens again while the run is alone.
  if (death.kind === "killed" || death.kind === "stopped")
    return isAlone && run.crashes > 0 ? blame(run, facts) : { kind: "isolate" };
  if (isAlone) return isWithinDeadline(run, facts) ? { kind: "isolate" } : blame(run, facts);
  if (death.kind === "crashed" || death.culprits === null) return { kind: "isolate" };
  if (!death.culprits.includes(run.id)) return { kind: "resume" };
  return isWithinDeadline(run, facts) ? { kind: "isolate" } : blame(run, facts);
}

/** A run may block its own process until its timeout, unless others wait for its place. */
function isWithinDeadline(run: HeldRun, { death, now }: Facts): boolean {
  if (death.kind !== "blocked" || death.othersWaiting !== undefined) return false;
  return run.deadlineAt !== null && now < run.deadlineAt;
}

function blame(run: HeldRun, { death, buildOf, now, random }: Facts): Fate {
  const { version, target } = buildOf(run);
  const error = {
    name: "WorkerCrashed",
    message: `The worker process that ran this attempt ${describeDeath(death)}`,
    stack: death.kind === "blocked" ? death.stack : null,
  };
  const isTimeout = death.kind === "blocked" && death.othersWaiting === undefined;
  const failure = { error, isTimeout, isRetryable: true };
  return {
    kind: "fail",
    ...planAttemptEnd({
      failure,
      policy: policyOf(run, target),
      onFailure: () => planFailureRun({ run, target, version, now }),
      attempt: run.attempt,
      maxAttempts: run.maxAttempts,
      attemptsBefore: run.attemptsBefore,
      now,
      random,
    }),
  };
}

/** A predicate that follows "The worker process …". */
export function describeDeath(death: WorkerDeath): string {
  switch (death.kind) {
    case "requested":
      return "was asked to shut down.";
    case "killed":
      return `was killed by an external signal (${death.signal}).`;
    case "stopped":
      return `was killed because it sent no heartbeat for ${formatDuration(death.silentMs)}. The process was paused, or the machine is overloaded.`;
    case "crashed":
      return `${death.how}.`;
    case "blocked":
      return `was killed because its event loop was blocked for ${formatDuration(death.blockedMs)}${describeWaiting(death.othersWaiting)}. Look for a loop that never awaits, or split the work.`;
  }
}

function describeWaiting(runs: number | undefined): string {
  if (runs === undefined) return "";
  return ` while ${formatCount(runs, "other run")} waited for a process of ${runs === 1 ? "its" : "their"} own`;
}
