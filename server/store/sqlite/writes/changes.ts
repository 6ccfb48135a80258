import type { DisabledTriggers } from "../../../contract/disabled.ts";
import type { Logger } from "../../../ports/logger.ts";
import { type Store, type StoreMark, type StoreTopic, storeTopics } from "../../../ports/store.ts";
import type { KeyStore } from "../../../ports/store/key-store.ts";
import { createListeners, type Listeners } from "../../../domain/event-loop.ts";
import type { Connection } from "../file/open-connection.ts";

type Statement = ReturnType<Connection["prepare"]>;

/** The mark of the store: for each topic, a number that grows with every commit that changes visible data of it. */
export interface ChangeCount {
  /** Starts a transaction: the changes of the previous one are counted or rolled back. */
  begin(): void;
  changed(topic: StoreTopic): void;
  /** Called at the end of the transaction. Writes a row for each topic of its changes, in one statement. */
  write(): void;
  read(): StoreMark;
}

export function createChangeCount(connection: Connection): ChangeCount {
  const counts = new Map<number, Statement>();
  const read = connection.prepare<[], { id: number; changes: number }>("SELECT id, changes FROM store_change");
  /** A bit for each topic. */
  let changed = 0;
  return {
    begin: () => void (changed = 0),
    changed: (topic) => void (changed |= 1 << storeTopics.indexOf(topic)),
    write() {
      if (changed === 0) return;
      const count = counts.get(changed) ?? connection.prepare(countSql(changed));
      counts.set(changed, count);
      count.run();
    },
    read() {
      const known = new Map(read.all().map(({ id, changes }) => [id, String(changes)]));
      const changesOf = (topic: StoreTopic) => known.get(storeTopics.indexOf(topic)) ?? "0";
      return {
        deliveries: changesOf("deliveries"),
        runs: changesOf("runs"),
        presets: changesOf("presets"),
        switches: changesOf("switches"),
        alerts: changesOf("alerts"),
      };
    },
  };
}

function countSql(changed: number): string {
  const rows = storeTopics.flatMap((_, id) => ((changed >> id) & 1 ? [`(${id}, 1)`] : []));
  return `INSERT INTO store_change (id, changes) VALUES ${rows.join(", ")} ON CONFLICT (id) DO UPDATE SET changes = changes + 1`;
}

const pollMs = 50;

interface ChangeWatcher {
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
      logger.warn("could not watch the store for changes, retrying", { error });
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

type Reads = Pick<Store, "findKeyByHash" | "listDisabledTriggers">;

/** A cache for the reads of every webhook. */
interface ReadCache {
  wrap(reads: Reads): Reads;
  /** Called before this connection changes more than deliveries and runs. */
  clear(): void;
}

/**
 * Each call checks whether another connection, also of another process, has committed: `PRAGMA data_version` reads that
 * from shared memory. So a revoked key or a switched trigger takes effect with the next read.
 */
export function createReadCache(connection: Connection): ReadCache {
  const dataVersion = connection.prepare("PRAGMA data_version").pluck();
  const keys = new Map<string, ReturnType<KeyStore["findKeyByHash"]>>();
  let disabled: Promise<DisabledTriggers> | null = null;
  let version: unknown = null;

  function clear(): void {
    if (keys.size > 0) keys.clear();
    disabled = null;
  }

  function clearIfChanged(): void {
    const now = readVersion();
    if (now === null || now !== version) clear();
    version = now;
  }

  /** `null` if it is currently unreadable. The reads then report the cause. */
  function readVersion(): unknown {
    try {
      return dataVersion.get();
    } catch {
      return null;
    }
  }

  function findCached(hash: string, find: Reads["findKeyByHash"]): ReturnType<Reads["findKeyByHash"]> {
    const known = keys.get(hash);
    if (known) return known;
    const found = find(hash);
    keys.set(hash, found);
    // Only existing keys are cached: callers can invent any number of others.
    const drop = () => void (keys.get(hash) === found && keys.delete(hash));
    found.then((key) => key ?? drop(), drop);
    return found;
  }

  function listCached(list: Reads["listDisabledTriggers"]): Promise<DisabledTriggers> {
    const listed = (disabled ??= list());
    listed.catch(() => {
      if (disabled === listed) disabled = null;
    });
    return listed;
  }

  return {
    clear,
    wrap: ({ findKeyByHash, listDisabledTriggers }) => ({
      findKeyByHash(hash) {
        clearIfChanged();
        return findCached(hash, findKeyByHash);
      },
      listDisabledTriggers() {
        clearIfChanged();
        return listCached(listDisabledTriggers);
      },
    }),
  };
}
