import { type Target, targetName } from "../../contract/project/target.ts";
import { buildNote, chooseBuild, type RunBuild, type WorkerBuilds } from "../../domain/runs/run-builds.ts";
import type { ClaimRequest } from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { QueueFull } from "../../ports/store/run-store.ts";

/** The facts of a run that decide whether it fits into its queue. */
export type QueuedRun = Pick<NewRun, "target" | "maxQueued" | "assignment">;

/**
 * The queue limits of the targets of these runs, each with the number of runs that it would add. Assigned runs are not
 * queued.
 */
export function queueBoundsOf(runs: readonly QueuedRun[]): ReadonlyMap<string, QueueFull> {
  if (!runs.some(isBounded)) return noBounds;
  const bounds = new Map<string, QueueFull>();
  for (const { target, maxQueued, assignment } of runs) {
    if (maxQueued === undefined || maxQueued === null || assignment) continue;
    const name = targetName(target);
    const known = bounds.get(name);
    const adds = known?.adds ?? runs.filter((run) => !run.assignment && isSame(run.target, target)).length;
    bounds.set(name, { target, adds, maxQueued: Math.min(maxQueued, known?.maxQueued ?? maxQueued) });
  }
  return bounds;
}

const noBounds: ReadonlyMap<string, QueueFull> = new Map();

const isBounded = ({ maxQueued, assignment }: QueuedRun): boolean => typeof maxQueued === "number" && !assignment;

function isSame(one: Target, other: Target): boolean {
  return one.kind === other.kind && one.slug === other.slug;
}

/** Runs of agents have a token count from their creation on. Other runs have none, nor has the code of `onFailure`. */
export const tokensAtStart = ({ target, failureOf }: Pick<NewRun, "target" | "failureOf">): number | null =>
  target.kind === "agent" && failureOf === undefined ? 0 : null;

/** The builds of the worker of a claim; `null`: it executes every run. */
export function buildsOf({ version, keptVersions, latestTargets }: ClaimRequest): WorkerBuilds | null {
  if (version === undefined) return null;
  return { version, keptVersions: keptVersions ?? none, latestTargets: latestTargets ?? none };
}

const none: ReadonlySet<string> = new Set();

/** The build that executes a claimed run, and the note about it in the timeline. */
export function claimedBuild(
  run: { version: string; target: string },
  builds: WorkerBuilds | null,
): { build?: RunBuild; note: { message?: string } } {
  const build = builds === null ? undefined : chooseBuild(run, builds);
  return builds && build ? { build, note: buildNote(build, builds) } : { note: {} };
}
