import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/store.ts";
import type { KeyCipher } from "./key-cipher.ts";
import { isUsable, opensEndpoint } from "./key-rules.ts";

/** `sealed`: there are keys for the endpoint, but this service's secret opens none of them. */
export type ShowableKey = { found: true; keyId: string; secret: string } | { found: false; sealed: boolean };

/** The newest usable webhook key that opens an endpoint, as it must be sent. */
export async function findShowableKey(
  deps: { store: Pick<KeyStore, "listKeyCiphertexts">; cipher: KeyCipher; clock: Clock },
  endpoint: string,
): Promise<ShowableKey> {
  const now = deps.clock.now();
  const stored = await deps.store.listKeyCiphertexts("webhook");
  const opening = stored.filter(({ key }) => isUsable(key, now) && opensEndpoint(key, endpoint));
  for (const { key, ciphertext } of opening) {
    const secret = deps.cipher.open(ciphertext);
    if (secret !== null) return { found: true, keyId: key.id, secret };
  }
  return { found: false, sealed: opening.length > 0 };
}
