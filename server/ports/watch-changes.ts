import type { Store } from "./store.ts";

/** Waits for changes of the store without missing one between two waits. */
export interface ChangeWatch {
  /** Resolves at the next change since the last call, or when the signal is aborted. */
  next(): Promise<void>;
  /** Removes the listener. */
  stop(): void;
}

/**
 * Starts watching immediately: read the store after this call, then wait. Keeps one listener until it is stopped or
 * aborted.
 */
export function watchChanges(store: Pick<Store, "watch">, signal: AbortSignal): ChangeWatch {
  let hasChanged = false;
  let wake: (() => void) | null = null;
  const notice = () => {
    hasChanged = true;
    wake?.();
  };
  const unwatch = store.watch(notice);
  const stop = () => {
    unwatch();
    signal.removeEventListener("abort", stop);
    wake?.();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  return {
    async next() {
      if (!hasChanged && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      hasChanged = false;
      wake = null;
    },
    stop,
  };
}
