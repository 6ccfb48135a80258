import { type Logger, createThrottledLog } from "../../ports/logger.ts";
import { createListeners, type Listeners } from "../shared/listeners.ts";
import type { Connection } from "./open-connection.ts";

const pollMs = 50;

export interface ChangeWatcher {
  watch(listener: () => void): () => void;
  /** The same, without the writes of this connection. */
  watchOthers(listener: () => void): () => void;
  /** This connection has written. */
  changed(): void;
  close(): void;
}

/**
 * Notifies of writes by this connection on the next tick. Writes by other connections and processes change `PRAGMA
 * data_version`, a read of shared memory that takes a microsecond. It is polled only while there are listeners.
 */
export function createChangeWatcher(connection: Connection, logger: Logger): ChangeWatcher {
  const dataVersion = connection.prepare("PRAGMA data_version").pluck();
  const logFailure = createThrottledLog((message, fields) => logger.warn(message, fields));
  const listeners = createListeners();
  const otherListeners = createListeners();
  let seen: unknown;
  let timer: NodeJS.Timeout | null = null;

  function checkVersion(): void {
    try {
      const now = dataVersion.get();
      if (now !== seen) for (const group of [listeners, otherListeners]) group.notify();
      seen = now;
    } catch (error) {
      logFailure("could not watch the store for changes, retrying", { error });
    }
  }

  function stop(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  function add(to: Listeners, listener: () => void): () => void {
    if (!timer) {
      seen = dataVersion.get();
      timer = setInterval(checkVersion, pollMs).unref();
    }
    return to.add(listener, () => listeners.isEmpty() && otherListeners.isEmpty() && stop());
  }

  return {
    watch: (listener) => add(listeners, listener),
    watchOthers: (listener) => add(otherListeners, listener),
    changed: listeners.notify,
    close() {
      stop();
      listeners.clear();
      otherListeners.clear();
    },
  };
}
