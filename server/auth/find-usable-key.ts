import type { Key } from "../contract/key.ts";
import type { KeyStore } from "../ports/store.ts";
import { hashKey, isWellFormedKey } from "./key-format.ts";
import { isUsable } from "./key-rules.ts";

/**
 * The key behind a presented text, or `null` where it is malformed, unknown, expired or revoked: callers learn no more
 * than that.
 */
export async function findUsableKey(
  deps: { store: Pick<KeyStore, "findKeyByHash"> },
  presented: string,
  now: number,
): Promise<Key | null> {
  if (!isWellFormedKey(presented)) return null;
  // Looked up for each request, so that a revoked key is rejected immediately.
  const key = await deps.store.findKeyByHash(hashKey(presented));
  return key && isUsable(key, now) ? key : null;
}
