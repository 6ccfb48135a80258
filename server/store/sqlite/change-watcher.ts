import type { Logger } from "../../ports/logger.ts";
import { createSeldomLog } from "../../ports/seldom-log.ts";
import type { Connection } from "./open-connection.ts";

const pollMs = 50;

export interface ChangeWatcher {
  watch(listener: () => void): () => void;
  /** This connection has written. */
  changed(): void;
  close(): void;
}

/**
 * Own writes are told on the next tick. Those of other connections and processes show in `PRAGMA data_version`, a look into shared
 * memory that takes a microsecond; it is taken only while somebody listens.
 */
export function createChangeWatcher(connection: Connection, logger: Logger): ChangeWatcher {
  const dataVersion = connection.prepare("PRAGMA data_version").pluck();
  const logTrouble = createSeldomLog((message, fields) => logger.warn(message, fields));
  const listeners = new Set<() => void>();
  let seen: unknown;
  let poll: NodeJS.Timeout | null = null;
  let isTelling = false;

  function tell(): void {
    if (isTelling || listeners.size === 0) return;
    isTelling = true;
    process.nextTick(() => {
      isTelling = false;
      for (const listener of listeners) listener();
    });
  }

  function look(): void {
    try {
      const now = dataVersion.get();
      if (now !== seen) tell();
      seen = now;
    } catch (error) {
      logTrouble("the store could not be watched; trying again", { error });
    }
  }

  function stop(): void {
    if (poll) clearInterval(poll);
    poll = null;
  }

  return {
    watch(listener) {
      // One object for each call, so that the same function may listen twice.
      const entry = () => listener();
      listeners.add(entry);
      if (!poll) {
        seen = dataVersion.get();
        poll = setInterval(look, pollMs).unref();
      }
      return () => {
        listeners.delete(entry);
        if (listeners.size === 0) stop();
      };
    },
    changed: tell,
    close() {
      stop();
      listeners.clear();
    },
  };
}
