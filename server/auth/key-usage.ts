import type { Key } from "../contract/key.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { KeyStore } from "../ports/store.ts";

const touchEveryMs = 60_000;

/** Notes that a key was used, at most once a minute each, without holding up whoever used it. */
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
      // Nobody waits for this note; the next use after a minute writes it again.
      deps.logger.warn("the last use of a key could not be noted", { keyId: key.id, error });
    });
  };
}
