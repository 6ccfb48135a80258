export interface Pace {
  /** Requests the action: now, or as soon as it is due. */
  poke(): void;
  /** Pauses the action; a request in the meantime runs on release. */
  hold(isHeld: boolean): void;
  stop(): void;
}

interface Options {
  /** Returns whether it must run again when it is due. */
  action: () => boolean;
  everyMs: number;
  now?: () => number;
}

/** Runs the action at once on the first poke, then at most once in `everyMs`. The last poke is never lost. */
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
