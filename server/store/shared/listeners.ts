/** Listeners for changes of the store. */
export interface Listeners {
  /**
   * Returns a function that removes the listener. The same function can be added twice. `onLast` is called when the
   * last listener is removed.
   */
  add(listener: () => void, onLast: () => void): () => void;
  /** Calls all listeners on the next tick: once, even if it is called several times before that. */
  notify(): void;
  isEmpty(): boolean;
  clear(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  let isScheduled = false;
  return {
    add(listener, onLast) {
      // One entry for each call, so that the same function can be added twice.
      const entry = () => listener();
      listeners.add(entry);
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) onLast();
      };
    },
    notify() {
      if (isScheduled || listeners.size === 0) return;
      isScheduled = true;
      process.nextTick(() => {
        isScheduled = false;
        for (const listener of listeners) listener();
      });
    },
    isEmpty: () => listeners.size === 0,
    clear: () => listeners.clear(),
  };
}
