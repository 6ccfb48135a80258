import type { Store } from "../../ports/store.ts";

/** Limits the checks: under load, there are thousands of changes. */
const minIntervalMs = 250;

/**
 * Checks after each change of the store whether one of these runs was canceled by another process or machine. A
 * cancellation by this service's own web process is reported sooner. Returns a function that stops it.
 */
export function watchCancels(p: {
  store: Pick<Store, "listCancelRequested" | "watch">;
  /** The runs of the connected workers. */
  runIds: () => string[];
  cancel: (runId: string) => void;
  onError: (error: unknown) => void;
}): () => void {
  let pause: NodeJS.Timeout | null = null;
  let isDue = false;
  let isStopped = false;

  async function check(): Promise<void> {
    const runIds = p.runIds();
    if (runIds.length === 0) return;
    for (const runId of await p.store.listCancelRequested(runIds)) p.cancel(runId);
  }

  function changed(): void {
    if (isStopped) return;
    if (pause) return void (isDue = true);
    isDue = false;
    pause = setTimeout(() => {
      pause = null;
      if (isDue) changed();
    }, minIntervalMs).unref();
    check().catch(p.onError);
  }

  const stopWatching = p.store.watch(changed);
  return () => {
    isStopped = true;
    if (pause) clearTimeout(pause);
    stopWatching();
  };
}
