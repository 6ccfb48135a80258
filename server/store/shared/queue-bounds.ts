import type { NewRun, QueueFull } from "../../ports/store/run-store.ts";

/** The bounds that runs ask for, by their targets, with how many runs they add there. */
export function queueBoundsOf(runs: readonly NewRun[]): Map<string, QueueFull> {
  const bounds = new Map<string, QueueFull>();
  for (const { target, maxQueued } of runs) {
    if (maxQueued === undefined || maxQueued === null) continue;
    const name = `${target.kind}:${target.slug}`;
    const adds =
      bounds.get(name)?.adds ??
      runs.filter((run) => run.target.kind === target.kind && run.target.slug === target.slug).length;
    bounds.set(name, { target, adds, maxQueued: Math.min(maxQueued, bounds.get(name)?.maxQueued ?? maxQueued) });
  }
  return bounds;
}
