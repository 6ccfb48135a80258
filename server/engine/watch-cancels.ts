import type { EngineStore, Store } from "../ports/store.ts";

/** Where much is committed, changes come by the thousand. */
const lookEveryMs = 250;

/**
 * Looks, when something in the store has changed, whether somebody asked one of these runs to stop: on another machine,
 * by another process. Their own supervisor tells workers sooner, and the renewal of their leases later. Returns how it
 * is stopped.
 */
export function watchCancels(p: {
  store: Pick<EngineStore, "listCancelRequested"> & Pick<Store, "watch">;
  /** Those that this process executes. */
  runIds: () => string[];
  cancel: (runId: string) => void;
  onTrouble: (error: unknown) => void;
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
    look().catch(p.onTrouble);
  }

  const leave = p.store.watch(changed);
  return () => {
    isStopped = true;
    if (resting) clearTimeout(resting);
    leave();
  };
}
