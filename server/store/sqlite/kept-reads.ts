import type { DisabledTriggers } from "../../contract/disabled.ts";
import type { Store } from "../../ports/store.ts";
import type { KeyStore } from "../../ports/store/key-store.ts";
import type { Connection } from "./open-connection.ts";

type Reads = Pick<Store, "findKeyByHash" | "listDisabledTriggers">;

/** The reads that every webhook needs, kept until the store changes. */
export interface KeptReads {
  wrap(reads: Reads): Reads;
  /** This connection is about to change more than deliveries and runs. */
  forget(): void;
}

/**
 * Each call checks whether another connection has committed, also one of another process: `PRAGMA data_version` reads
 * that from shared memory. So a revoked key or a switched trigger takes effect at the next read.
 */
export function createKeptReads(connection: Connection): KeptReads {
  const dataVersion = connection.prepare("PRAGMA data_version").pluck();
  const keys = new Map<string, ReturnType<KeyStore["findKeyByHash"]>>();
  let disabled: Promise<DisabledTriggers> | null = null;
  let version: unknown = null;

  function forget(): void {
    keys.clear();
    disabled = null;
  }

  function forgetIfChanged(): void {
    const now = readVersion();
    if (now === null || now !== version) forget();
    version = now;
  }

  /** `null`: it cannot be read now. Reads then report why. */
  function readVersion(): unknown {
    try {
      return dataVersion.get();
    } catch {
      return null;
    }
  }

  function findKept(hash: string, find: Reads["findKeyByHash"]): ReturnType<Reads["findKeyByHash"]> {
    const known = keys.get(hash);
    if (known) return known;
    const found = find(hash);
    keys.set(hash, found);
    // Only existing keys are kept: callers can invent any number of others.
    const drop = () => void (keys.get(hash) === found && keys.delete(hash));
    found.then((key) => key ?? drop(), drop);
    return found;
  }

  function listKept(list: Reads["listDisabledTriggers"]): Promise<DisabledTriggers> {
    const listed = (disabled ??= list());
    listed.catch(() => {
      if (disabled === listed) disabled = null;
    });
    return listed;
  }

  return {
    forget,
    wrap: ({ findKeyByHash, listDisabledTriggers }) => ({
      findKeyByHash(hash) {
        forgetIfChanged();
        return findKept(hash, findKeyByHash);
      },
      listDisabledTriggers() {
        forgetIfChanged();
        return listKept(listDisabledTriggers);
      },
    }),
  };
}
