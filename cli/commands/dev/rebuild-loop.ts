export interface RebuildLoop {
  /** Something changed: rebuild soon. */
  changed(): void;
  /** Takes no more changes; resolves when the rebuild under way, if any, has ended. */
  close(): Promise<void>;
}

/**
 * Rebuilds after changes, once for those that come close together. One rebuild at a time: what changes during one is
 * rebuilt right after it. `rebuild` must not reject.
 */
export function createRebuildLoop(p: { debounceMs: number; rebuild(): Promise<void> }): RebuildLoop {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isStale = false;
  let isClosed = false;

  async function run(): Promise<void> {
    isStale = false;
    await p.rebuild();
    running = isStale && !isClosed ? run() : null;
  }

  return {
    changed() {
      if (isClosed) return;
      if (timer) clearTimeout(timer);
      timer = setTimeout(() => {
        timer = null;
        if (running) isStale = true;
        else running = run();
      }, p.debounceMs);
    },
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      // What changed meanwhile is not rebuilt any more.
      await running;
    },
  };
}
