import { type Logger, createThrottledLog } from "../../ports/logger.ts";
import { createListeners, type Listeners } from "../shared/listeners.ts";
import type { Connection } from "./open-connection.ts";

const pollMs = 50;

export interface ChangeWatcher {
  watch(listener: () => void): () => void;
  /** Own writes do not count. */
  watchOthers(listener: () => void): () => void;
  /** This connection has written. */
  changed(): void;
  close(): void;
}

/**
 * Own writes are told on the next tick. Those of other connections and processes show in `PRAGMA data_version`, a look
 * into shared memory that takes a microsecond; it is taken only while somebody listens.
 */
export function createChangeWatcher(connection: Connection, logger: Logger): ChangeWatcher {
  const dataVersion = connection.prepare("PRAGMA data_version").pluck();
  const logTrouble = createThrottledLog((message, fields) => logger.warn(message, fields));
  const listeners = createListeners();
  const listenersToOthers = createListeners();
  let seen: unknown;
  let poll: NodeJS.Timeout | null = null;

  function look(): void {
    try {
      const now = dataVersion.get();
      if (now !== seen) for (const told of [listeners, listenersToOthers]) told.tell();
      seen = now;
    } catch (error) {
      logTrouble("could not watch the store for changes, retrying", { error });
    }
  }

  function stop(): void {
    if (poll) clearInterval(poll);
    poll = null;
  }

  function add(to: Listeners, listener: () => void): () => void {
    if (!poll) {
      seen = dataVersion.get();
      poll = setInterval(look, pollMs).unref();
    }
    return to.add(listener, () => listeners.areNone() && listenersToOthers.areNone() && stop());
  }

  return {
    watch: (listener) => add(listeners, listener),
    watchOthers: (listener) => add(listenersToOthers, listener),
    changed: listeners.tell,
    close() {
      stop();
      listeners.clear();
      listenersToOthers.clear();
    },
  };
}
