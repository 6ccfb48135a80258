import type { Key } from "../contract/key.ts";
import type { KeyStore } from "../ports/store.ts";

/** All keys, including revoked and expired ones, without their secrets. */
export function listKeys(deps: { store: Pick<KeyStore, "listKeys"> }): Promise<Key[]> {
  return deps.store.listKeys();
}
