import type { NewRun, QueueFull } from "../../ports/store/run-store.ts";

/** The bounds of the runs' queues, by their targets, with how many runs they add there. Assigned runs do not queue. */
export function queueBoundsOf(runs: readonly NewRun[]): Map<string, QueueFull> {
  const bounds = new Map<string, QueueFull>();
  const queued = runs.filter(({ assignment }) => assignment === undefined);
  for (const { target, maxQueued } of queued) {
    if (maxQueued === undefined || maxQueued === null) continue;
    const name = `${target.kind}:${target.slug}`;
    const adds =
      bounds.get(name)?.adds ??
      queued.filter((run) => run.target.kind === target.kind && run.target.slug === target.slug).length;
    bounds.set(name, { target, adds, maxQueued: Math.min(maxQueued, bounds.get(name)?.maxQueued ?? maxQueued) });
  }
  return bounds;
}
