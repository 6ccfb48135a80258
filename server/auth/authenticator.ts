import type { Mode } from "../config.ts";
import type { Clock } from "../ports/clock.ts";
import { type Logger, silentLogger } from "../ports/logger.ts";
import { oncePerTurn } from "../ports/once-per-turn.ts";
import type { KeyStore } from "../ports/store.ts";
import { findUsableKey } from "./find-usable-key.ts";
import { opensEndpoint } from "./key-rules.ts";
import { createNoteKeyUse } from "./key-usage.ts";

/** Whether these keys may send to this endpoint. `keyId` is the first of them; `null` where none is needed. */
export type Authenticator = (
  presented: readonly string[],
  endpoint: string,
) => Promise<{ ok: true; keyId: string | null } | { ok: false }>;

/**
 * Decides who may send webhooks. Development is open to local requests; `mode` is `deployed` for all others. Deployed,
 * at least one key is needed and each one that is presented must be valid for the endpoint. A key of another endpoint
 * gets the very answer that an unknown key gets.
 */
export function createAuthenticator(deps: {
  store: Pick<KeyStore, "findKeyByHash" | "touchKey">;
  mode: Mode;
  clock: Clock;
  logger?: Logger;
}): Authenticator {
  // Senders usually send the same key, and many requests arrive in one turn of the event loop.
  const find = oncePerTurn((text) => findUsableKey(deps, text, deps.clock.now()));
  const noteUse = createNoteKeyUse({ ...deps, logger: deps.logger ?? silentLogger });
  return async (presented, endpoint) => {
    if (deps.mode === "development") return { ok: true, keyId: null };
    const distinct = [...new Set(presented)];
    if (distinct.length === 0 || distinct.length > maxKeys) return { ok: false };
    const keys = await Promise.all(distinct.map(find));
    const opening = keys.filter((key) => key !== null).filter((key) => opensEndpoint(key, endpoint));
    const [first] = opening;
    if (!first || opening.length < distinct.length) return { ok: false };
    opening.forEach(noteUse);
    return { ok: true, keyId: first.id };
  };
}

/**
 * There are four forms of a key. A request with many more keys is no mistake of a sender, and must not cause as many
 * look-ups.
 */
const maxKeys = 8;
