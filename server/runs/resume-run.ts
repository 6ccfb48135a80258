import { AppError } from "../contract/app-error.ts";
import type { ManifestWorkflow } from "../contract/project/manifest.ts";
import { findBuilt } from "../contract/project/target.ts";
import type { Run } from "../contract/run.ts";
import { queueFull } from "../domain/problem.ts";
import { policyOf } from "../domain/runs/failure-run.ts";
import { runLimitsOf } from "../domain/runs/run-limits.ts";
import { findResumeObstacle, notResumable } from "../domain/runs/resume.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader, ProjectSources } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { EngineStore } from "../ports/store/engine-store.ts";
import type { RunStore, RunToResume } from "../ports/store/run-store.ts";
import { findRun } from "./read-runs.ts";

/**
 * Resumes a failed run on the current build and returns it, `queued`. It keeps its finished steps, and so their
 * idempotency keys, and its input. If its input was never recorded, the transform runs again. The child runs with whose
 * failure it has failed are resumed with it. Throws AppError `not_found`, `not_resumable` or `queue_full`.
 */
export async function resumeRun(
  deps: { store: ResumeStore; project: ProjectReader; signals: Signals; clock: Clock },
  id: string,
): Promise<Run> {
  const old = await findRun(deps, { id });
  const order = toResume(old, deps.project.current());
  const children = await toResumeChildren(deps, order, fatalChildOf(old));
  const [left = null] = await deps.store.resumeRuns([order, ...children], deps.clock.now());
  if (left && "queue" in left) throw queueFull(left.queue);
  if (left && left.obstacle !== "missing") throw notResumable(id, left.obstacle);
  if (!left) deps.signals.runsQueued();
  return findRun(deps, { id });
}

export type ResumeStore = Pick<RunStore, "getRun" | "resumeRuns"> & Pick<EngineStore, "reopenCalls">;

/** The child runs that are resumed with a failed run, and their own. Those that cannot be resumed are left out. */
export async function toResumeChildren(
  deps: { store: Pick<ResumeStore, "getRun" | "reopenCalls">; project: ProjectReader; clock: Clock },
  { id }: Pick<RunToResume, "id">,
  fatalId: string | null,
): Promise<RunToResume[]> {
  const orders: RunToResume[] = [];
  for (const childId of await deps.store.reopenCalls({ runId: id, fatalId, now: deps.clock.now() })) {
    const child = await deps.store.getRun(childId);
    if (!child || findResumeObstacle(child, { isWithParent: true })) continue;
    try {
      const order = toResume(child, deps.project.current());
      orders.push({ ...order, isWithParent: true }, ...(await toResumeChildren(deps, order, fatalChildOf(child))));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_resumable") throw error;
    }
  }
  return orders;
}

/** The child run whose failure ended a run, as the message of a ChildRunError names it. */
export function fatalChildOf({ error }: Pick<Run, "error">): string | null {
  return error?.name === "ChildRunError" ? (/\brun_[0-9A-Z]{26}\b/.exec(error.message)?.[0] ?? null) : null;
}

/** The run with the facts of the build that continues it. Throws AppError `not_resumable`. */
export function toResume(old: Run, { manifest, triggers }: Pick<ProjectSources, "manifest" | "triggers">): RunToResume {
  const { kind, slug } = old.target;
  const target = findBuilt<ManifestWorkflow>(manifest, old.target);
  if (!target) throw notDeployed(old.id, `${kind} ${slug}`);
  const hasTrigger = triggers.some(({ attachmentId }) => attachmentId === old.attachmentId);
  if (old.input === null && old.attachmentId !== null && !hasTrigger) throw notDeployed(old.id, old.attachmentId);
  return {
    id: old.id,
    target: { kind, slug },
    version: manifest.version,
    attempts: (policyOf(old, target) ?? target.retries).attempts,
    seenAttempt: old.attempt,
    ...runLimitsOf(target),
  };
}

function notDeployed(id: string, what: string): AppError {
  return new AppError(
    "not_resumable",
    `Run ${id} was not resumed: ${what} is not in the deployed project. Deploy a project that has it.`,
  );
}
