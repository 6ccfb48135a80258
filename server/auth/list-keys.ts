import type { Key } from "../contract/key.ts";
import type { KeyStore } from "../ports/store.ts";

/** All keys, revoked and expired ones too, without what would open anything. */
export function listKeys(deps: { store: Pick<KeyStore, "listKeys"> }): Promise<Key[]> {
  return deps.store.listKeys();
}
