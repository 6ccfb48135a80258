import type { Store } from "../../ports/store.ts";

/** Under load, there are thousands of changes. */
const lookEveryMs = 250;

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
  let resting: NodeJS.Timeout | null = null;
  let isDue = false;
  let isStopped = false;

  async function look(): Promise<void> {
    const runIds = p.runIds();
    if (runIds.length === 0) return;
    for (const runId of await p.store.listCancelRequested(runIds)) p.cancel(runId);
  }

  function changed(): void {
    if (isStopped) return;
    if (resting) return void (isDue = true);
    isDue = false;
    resting = setTimeout(() => {
      resting = null;
      if (isDue) changed();
    }, lookEveryMs).unref();
    look().catch(p.onError);
  }

  const leave = p.store.watch(changed);
  return () => {
    isStopped = true;
    if (resting) clearTimeout(resting);
    leave();
  };
}
