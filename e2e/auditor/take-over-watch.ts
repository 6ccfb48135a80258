import { mayReturnBefore } from "./audited-project.ts";
import type { Effect } from "./facts.ts";

/** Watches the effects of all servers for runs that one takes over from another. */
export interface TakeOverWatch {
  saw(effect: Effect): void;
  nextEffectOf(generation: number): Promise<void>;
  /** Resolves when another server has begun a step of several runs that this one had, or after a while. */
  untilTakenOver(generation: number): Promise<void>;
  takenOver(): number;
}

/** Between these two, no process had the run, and any process could continue it. */
function wasAsleep(effect: Effect, before: Effect): boolean {
  return mayReturnBefore(effect) && before.step !== effect.step;
}

const enoughRuns = 3;
const waitMs = 20_000;

export function createTakeOverWatch(): TakeOverWatch {
  /** The last effect of each run. */
  const last = new Map<string, Effect>();
  let taken = new Set<string>();
  let onEffect: ((effect: Effect, before: Effect | undefined) => void) | null = null;

  function until(isSo: (effect: Effect, before: Effect | undefined) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      onEffect = (effect, before) => {
        if (!isSo(effect, before)) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    saw(effect) {
      const before = last.get(effect.runId);
      last.set(effect.runId, effect);
      onEffect?.(effect, before);
    },
    nextEffectOf: (generation) => until((effect) => effect.generation === generation && effect.phase === "done"),
    untilTakenOver(generation) {
      taken = new Set();
      return until((effect, before) => {
        if (before?.generation === generation && effect.generation !== generation && !wasAsleep(effect, before))
          taken.add(effect.runId);
        return taken.size >= enoughRuns;
      });
    },
    takenOver: () => taken.size,
  };
}
