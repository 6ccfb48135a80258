import type { Key } from "../contract/key.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { KeyStore } from "../ports/store.ts";

const touchEveryMs = 60_000;

/** Records the use of a key, at most once a minute for each key, without delaying the request. */
export type NoteKeyUse = (key: Key) => void;

export function createNoteKeyUse(deps: {
  store: Pick<KeyStore, "touchKey">;
  clock: Clock;
  logger: Logger;
}): NoteKeyUse {
  const notedAt = new Map<string, number>();
  return (key) => {
    const now = deps.clock.now();
    const last = notedAt.get(key.id) ?? (key.lastUsedAt === null ? -Infinity : Date.parse(key.lastUsedAt));
    if (now - last < touchEveryMs) return;
    notedAt.set(key.id, now);
    deps.store.touchKey(key.id, now).catch((error: unknown) => {
      // Not awaited; the next use after a minute writes it again.
      deps.logger.warn("could not store the last use of a key", { keyId: key.id, error });
    });
  };
}
