interface Place {
  /** Resolves when the code can start; `null` means immediately. */
  readonly free: Promise<void> | null;
  hasBegun(): boolean;
  /** Called when the code has ended or will not start. */
  leave(): void;
}

/** Slots for running code in this process. A run that was claimed ahead waits for one. */
export interface RunPlaces {
  enter(): Place;
  /** How many runs can be claimed beyond the free slots: none, unless recent runs completed very quickly. */
  ahead(): number;
  /** Called after runs that were claimed ahead had to wait. */
  distrust(): void;
}

/** Below this duration, a run costs less than its claim. Claims and ends of many runs then share a commit. */
const momentMs = 20;

export function createRunPlaces(p: { places: number; maxAhead: number; now: () => number }): RunPlaces {
  const { places, maxAhead, now } = p;
  const queue = new Set<() => void>();
  let taken = 0;
  let quickInARow = 0;

  function enter(): Place {
    const waiting = Promise.withResolvers<void>();
    const isFree = taken < places;
    let beganAt: number | null = null;
    let hasLeft = false;

    function take(): void {
      taken += 1;
      beganAt = now();
      waiting.resolve();
    }

    if (isFree) take();
    else queue.add(take);
    return {
      free: isFree ? null : waiting.promise,
      hasBegun: () => beganAt !== null,
      leave() {
        if (hasLeft) return;
        hasLeft = true;
        if (beganAt === null) return void queue.delete(take);
        taken -= 1;
        quickInARow = now() - beganAt <= momentMs ? quickInARow + 1 : 0;
        const [next] = queue;
        if (!next) return;
        queue.delete(next);
        next();
      },
    };
  }

  return {
    enter,
    ahead: () => (quickInARow >= places ? maxAhead : 0),
    distrust: () => void (quickInARow = 0),
  };
}
