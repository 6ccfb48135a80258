import { TransientMap } from "../domain/transient-map.ts";

interface Slot {
  /** Resolves when the code can start; `null` means immediately. */
  readonly free: Promise<void> | null;
  hasBegun(): boolean;
  /** Called when the code has ended or will not start. */
  release(): void;
}

/** Slots for running code in this process. A run that was claimed ahead waits for one. */
export interface RunSlots {
  enter(): Slot;
  /** How many runs can be claimed beyond the free slots: none, unless recent runs completed very quickly. */
  ahead(): number;
  /**
   * Claims no more runs ahead, until enough runs were quick again. Called after runs that were claimed ahead had to
   * wait.
   */
  stopAhead(): void;
}

/** A run of a shorter duration costs less than its claim. Claims and ends of many runs then share a commit. */
const maxQuickMs = 20;

export function createRunSlots(p: { slots: number; maxAhead: number; now: () => number }): RunSlots {
  const { slots, maxAhead, now } = p;
  /** The runs that wait, in order. */
  const queue = new TransientMap<() => void, true>();
  let taken = 0;
  let consecutiveQuick = 0;

  function enter(): Slot {
    const waiting = Promise.withResolvers<void>();
    const isFree = taken < slots;
    let beganAt: number | null = null;
    let isReleased = false;

    function take(): void {
      taken += 1;
      beganAt = now();
      waiting.resolve();
    }

    if (isFree) take();
    else queue.set(take, true);
    return {
      free: isFree ? null : waiting.promise,
      hasBegun: () => beganAt !== null,
      release() {
        if (isReleased) return;
        isReleased = true;
        if (beganAt === null) return void queue.delete(take);
        taken -= 1;
        consecutiveQuick = now() - beganAt <= maxQuickMs ? consecutiveQuick + 1 : 0;
        const next = queue.keys().next().value;
        if (!next) return;
        queue.delete(next);
        next();
      },
    };
  }

  return {
    enter,
    ahead: () => (consecutiveQuick >= slots ? maxAhead : 0),
    stopAhead: () => void (consecutiveQuick = 0),
  };
}
