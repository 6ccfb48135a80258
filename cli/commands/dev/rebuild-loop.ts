export interface RebuildLoop {
  /** Schedules a rebuild after a change. */
  changed(): void;
  /** Ignores further changes; resolves when the current rebuild, if any, has ended. */
  close(): Promise<void>;
}

/**
 * Rebuilds after changes, debounced. One rebuild runs at a time. Changes during a rebuild start another one afterwards.
 * `rebuild` must not reject.
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
      // Changes during this rebuild are ignored.
      await running;
    },
  };
}
