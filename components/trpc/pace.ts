export interface Pace {
  /** Something changed: act now, or as soon as it is due. */
  poke(): void;
  /** While held nothing is done; what was asked for meanwhile is done on release. */
  hold(isHeld: boolean): void;
  stop(): void;
}

interface Options {
  /** Says whether it has to be done once more when it is due again, though nothing else changes. */
  action: () => boolean;
  everyMs: number;
  now?: () => number;
}

/**
 * Acts on the first poke at once, and then at most once in `everyMs`, however many there are; the last one is never
 * lost.
 */
export function createPace({ action, everyMs, now = Date.now }: Options): Pace {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let isWanted = false;
  let isHeld = false;

  const plan = () => {
    if (!isWanted || isHeld || timer !== undefined) return;
    const waitMs = lastAt + everyMs - now();
    if (waitMs <= 0) act();
    else timer = setTimeout(act, waitMs);
  };
  const act = () => {
    timer = undefined;
    if (isHeld) return;
    lastAt = now();
    isWanted = action();
    plan();
  };
  return {
    poke() {
      isWanted = true;
      plan();
    },
    hold(hold) {
      isHeld = hold;
      plan();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      isWanted = false;
    },
  };
}
