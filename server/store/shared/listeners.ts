/** Who wants to hear of changes. */
export interface Listeners {
  /** Gives what ends it. The same function may listen twice. `onLast` is called when nobody listens any more. */
  add(listener: () => void, onLast: () => void): () => void;
  /** All are told on the next tick, once, however often this is called until then. */
  tell(): void;
  areNone(): boolean;
  clear(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  let isTelling = false;
  return {
    add(listener, onLast) {
      // One object for each call, so that the same function may listen twice.
      const entry = () => listener();
      listeners.add(entry);
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) onLast();
      };
    },
    tell() {
      if (isTelling || listeners.size === 0) return;
      isTelling = true;
      process.nextTick(() => {
        isTelling = false;
        for (const listener of listeners) listener();
      });
    },
    areNone: () => listeners.size === 0,
    clear: () => listeners.clear(),
  };
}
