import { createListeners } from "../../../domain/event-loop.ts";
import type { Logger } from "../../../ports/logger.ts";

const pollMs = 100;

export interface ChangeWatcher {
  watch(listener: () => void): () => void;
  /** Call it after each commit of this process. */
  changed(): void;
  close(): void;
}

/**
 * Notifies of the commits of this process on the next tick. While there are listeners, it reads the mark of the store
 * ten times a second, and notifies if others have changed it. Pages and waiting requests listen; without them, no
 * commit costs another process anything.
 */
export function createChangeWatcher(p: { readMark: () => Promise<string>; logger: Logger }): ChangeWatcher {
  const listeners = createListeners();
  let timer: NodeJS.Timeout | null = null;
  let isReading = false;
  /** `null`: it is not known what the listeners have seen, so the next mark notifies them. */
  let seen: string | null = null;

  async function poll(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      const mark = await p.readMark();
      if (mark !== seen) listeners.notify();
      seen = mark;
    } catch (error) {
      if (timer) p.logger.warn("could not watch the store for changes, retrying", { error });
    } finally {
      isReading = false;
    }
  }

  function stop(): void {
    if (timer) clearInterval(timer);
    [timer, seen] = [null, null];
  }

  return {
    watch(listener) {
      timer ??= setInterval(() => void poll(), pollMs).unref();
      return listeners.add(listener, stop);
    },
    changed: listeners.notify,
    close() {
      listeners.clear();
      stop();
    },
  };
}
