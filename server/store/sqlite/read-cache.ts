import type { DisabledTriggers } from "../../contract/disabled.ts";
import type { Store } from "../../ports/store.ts";
import type { KeyStore } from "../../ports/store/key-store.ts";
import type { Connection } from "./open-connection.ts";

type Reads = Pick<Store, "findKeyByHash" | "listDisabledTriggers">;

/** A cache for the reads of every webhook. */
export interface ReadCache {
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
