import { planContentKeys } from "../../domain/encryption/content-keys.ts";
import { contentKeyId, createKeyRing, missingKey } from "../../domain/encryption/key-ring.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { createEncryptedStore } from "./encrypted-store.ts";

/**
 * The store with its content decrypted, and encrypted if that is on. Without keys, and if no key was ever used, it is
 * the given store. Closes it and rejects with AppError `store_unusable` if its content can need a key that is missing.
 */
export async function openEncryptedStore(p: {
  store: Store;
  keys: readonly Uint8Array[];
  isOn: boolean;
  clock: Clock;
}): Promise<Store> {
  const { store, keys, isOn } = p;
  try {
    const configured = keys.map(contentKeyId);
    const used = await store.listUsedContentKeys();
    const isAbsent = used.some(({ id }) => !configured.includes(id));
    const plan = planContentKeys({
      used,
      configured,
      writing: isOn ? (configured[0] ?? null) : null,
      oldestAt: isAbsent ? await store.findOldest() : null,
      now: p.clock.now(),
    });
    const [missing] = plan.missing;
    if (missing !== undefined) throw missingKey(missing, configured);
    if (plan.changed.length + plan.forgotten.length > 0) await store.saveUsedContentKeys(plan);
    return keys.length === 0 ? store : createEncryptedStore(store, createKeyRing({ keys, isOn }));
  } catch (error) {
    await store.close();
    throw error;
  }
}
