import type { Key } from "../../contract/access/key.ts";
import { isUsableKey } from "../../domain/access/keys.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { KeyStore } from "../../ports/store/key-store.ts";
import { hashKey, isWellFormedKey } from "./key-format.ts";

/** Finds a presented key. `null`: malformed, unknown, expired or revoked; callers do not learn which. */
export async function findUsableKey(
  deps: { store: Pick<KeyStore, "findKeyByHash"> },
  presented: string,
  now: number,
): Promise<Key | null> {
  if (!isWellFormedKey(presented)) return null;
  // Looked up for each request, so that a revoked key is rejected immediately.
  const key = await deps.store.findKeyByHash(hashKey(presented));
  return key && isUsableKey(key, now) ? key : null;
}

const touchIntervalMs = 60_000;

/** Records the use of a key, at most once a minute for each key, without delaying the request. */
export function createKeyUsageRecorder(deps: {
  store: Pick<KeyStore, "touchKey">;
  clock: Clock;
  logger: Logger;
}): (key: Key) => void {
  const recordedAt = new Map<string, number>();
  return (key) => {
    const now = deps.clock.now();
    const last = recordedAt.get(key.id) ?? (key.lastUsedAt === null ? -Infinity : Date.parse(key.lastUsedAt));
    if (now - last < touchIntervalMs) return;
    recordedAt.set(key.id, now);
    deps.store.touchKey(key.id, now).catch((error: unknown) => {
      // Not awaited; the next use after a minute writes it again.
      deps.logger.warn("could not store the last use of a key", { keyId: key.id, error });
    });
  };
}
