import type { Mode } from "../../config.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Logger, silentLogger } from "../../ports/logger.ts";
import { isForEndpoint } from "../../domain/access/keys.ts";
import { oncePerTurn } from "../../domain/event-loop.ts";
import type { KeyStore } from "../../ports/store/key-store.ts";
import { createKeyUsageRecorder, findUsableKey } from "../keys/check-key.ts";

/** Checks whether these keys may send to this endpoint. `keyId` is the first of them; `null` if none is needed. */
export type WebhookAuthenticator = (
  presented: readonly string[],
  endpoint: string,
) => Promise<{ ok: true; keyId: string | null } | { ok: false }>;

/**
 * Authenticates the senders of webhooks. Development is open to local requests; `mode` is `deployed` for all others. A
 * deployed service needs at least one key, and each presented key must be valid for the endpoint. A key of another
 * endpoint gets the same response as an unknown key.
 */
export function createWebhookAuthenticator(deps: {
  store: Pick<KeyStore, "findKeyByHash" | "touchKey">;
  mode: Mode;
  clock: Clock;
  logger?: Logger;
}): WebhookAuthenticator {
  // Senders usually send the same key, and many requests arrive in one turn of the event loop.
  const find = oncePerTurn((text) => findUsableKey(deps, text, deps.clock.now()));
  const recordUse = createKeyUsageRecorder({ ...deps, logger: deps.logger ?? silentLogger });
  return async (presented, endpoint) => {
    if (deps.mode === "development") return { ok: true, keyId: null };
    const [first] = presented;
    if (first === undefined) return { ok: false };
    if (presented.length > 1) return authenticateAll([...new Set(presented)], endpoint);
    const key = await find(first);
    if (!key || !isForEndpoint(key, endpoint)) return { ok: false };
    recordUse(key);
    return { ok: true, keyId: key.id };
  };

  async function authenticateAll(distinct: readonly string[], endpoint: string): ReturnType<WebhookAuthenticator> {
    if (distinct.length > maxKeys) return { ok: false };
    const keys = await Promise.all(distinct.map(find));
    const valid = keys.filter((key) => key !== null).filter((key) => isForEndpoint(key, endpoint));
    const [first] = valid;
    if (!first || valid.length < distinct.length) return { ok: false };
    valid.forEach(recordUse);
    return { ok: true, keyId: first.id };
  }
}

/** A key can be sent in four places. A request with many more keys is no mistake, and must not cause as many look-ups. */
const maxKeys = 8;
