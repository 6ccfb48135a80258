import { AppError } from "../../contract/app-error.ts";
import type { RunStatus } from "../../contract/run.ts";
import { canResume, isEnded } from "../../shared/runs/run-state.ts";

/** Why a run cannot be resumed, or gets no replay from a bulk action. */
export type Obstacle =
  /** Its status does not allow it. */
  | { kind: "status"; status: RunStatus }
  /** A replay has taken its place. */
  | { kind: "replayed"; as: string }
  /** It was resumed since the caller read it, and has failed again. */
  | { kind: "resumed" };

interface RunFacts {
  status: RunStatus;
  /** The last attempt. */
  attempt: number;
  /** The newest replay. */
  replayedAs: string | null;
}

interface ResumeOrder {
  now: number;
  /** The build that continues the run. */
  version: string;
  /** The attempts that the run gets. */
  attempts: number;
  /** The last attempt as the caller read it. */
  seenAttempt: number;
  isWithParent?: boolean;
}

/**
 * Continues a failed run on another build: it keeps its id, its finished steps and its input, and its attempts are
 * counted from the start. Nothing of the old end is left but its entry in the timeline.
 */
export function planResume({ status, attempt, replayedAs }: RunFacts, order: ResumeOrder) {
  const { now, version, attempts, isWithParent = false } = order;
  const obstacle = findResumeObstacle({ status, replayedAs }, { isWithParent });
  if (obstacle) return { obstacle };
  if (attempt !== order.seenAttempt) return { obstacle: { kind: "resumed" } satisfies Obstacle };
  return {
    obstacle: null,
    change: {
      status: "queued" as const,
      version,
      // The numbers of attempts continue, because steps and the timeline refer to them.
      attemptsBefore: attempt,
      maxAttempts: attempt + attempts,
      resumedAt: now,
      availableAt: now,
      finishedAt: null,
      cancelRequestedAt: null,
      isResuming: false,
      isIsolated: false,
      crashes: 0,
      token: null,
      progressSeq: 0,
      errorName: null,
      errorMessage: null,
      errorStack: null,
    },
    entry: {
      at: now,
      kind: "resume_requested" as const,
      attempt,
      message: `The run ${endWords[status] ?? status} and was resumed. It continues on version ${version}.`,
    },
  };
}

const endWords: Partial<Record<RunStatus, string>> = {
  failed: "failed",
  timed_out: "timed out",
  canceled: "was canceled with its parent",
};

/** Why a run cannot be resumed; `null`: it can. */
export function findResumeObstacle(
  { status, replayedAs }: Omit<RunFacts, "attempt">,
  { isWithParent = false }: { isWithParent?: boolean } = {},
): Obstacle | null {
  const isCanceledWithParent = isWithParent && status === "canceled" && replayedAs === null;
  if (isCanceledWithParent || canResume({ status, replayedAs })) return null;
  return replayedAs === null ? { kind: "status", status } : { kind: "replayed", as: replayedAs };
}

/** A bulk replay replays each run once, after it has ended. `null`: nothing prevents it. */
export function findReplayObstacle({ status, replayedAs }: Omit<RunFacts, "attempt">): Obstacle | null {
  if (replayedAs !== null) return { kind: "replayed", as: replayedAs };
  return isEnded(status) ? null : { kind: "status", status };
}

export function describeObstacle(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case "status":
      return `The run is ${obstacle.status === "timed_out" ? "timed out" : obstacle.status}.`;
    case "replayed":
      return `The run was replayed as ${obstacle.as}.`;
    case "resumed":
      return "The run was resumed in the meantime, and has failed again.";
  }
}

/** The reason why a run was not resumed: AppError `not_resumable`. */
export function notResumable(id: string, obstacle: Obstacle): AppError {
  return new AppError("not_resumable", `Run ${id} was not resumed. ${describeObstacle(obstacle)} ${fixOf(obstacle)}`);
}

function fixOf(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case "status":
      return isEnded(obstacle.status)
        ? "Only runs that failed or timed out can be resumed. Replay it to run it again from the beginning."
        : "It continues by itself.";
    case "replayed":
      return "Resume or replay that run: a resume of this one would repeat its effects.";
    case "resumed":
      return "Look at its new error, then resume it again.";
  }
}
