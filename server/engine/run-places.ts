interface Place {
  /** Resolves when code may begin; `null`: at once. */
  readonly free: Promise<void> | null;
  hasBegun(): boolean;
  /** Code has come to its end, or will not begin. */
  leave(): void;
}

/** Places in this process at which code of runs is at work. A run that was claimed ahead waits for one. */
export interface RunPlaces {
  enter(): Place;
  /** How many runs may be claimed beyond the places: none, unless those of late were done in a moment. */
  ahead(): number;
  /** Runs that were claimed ahead had to wait. */
  distrust(): void;
}

/** What is done so quickly costs less than its claim: claims and ends of many share a commit then. */
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
