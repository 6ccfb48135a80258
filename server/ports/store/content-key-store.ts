import type { UsedContentKey } from "../../domain/encryption/content-keys.ts";

/** The keys of `encryption`, by their ids. Read when a store is opened. */
export interface ContentKeyStore {
  listUsedContentKeys(): Promise<UsedContentKey[]>;
  /** Writes the given rows, and removes others. */
  saveUsedContentKeys(p: { changed: readonly UsedContentKey[]; forgotten: readonly string[] }): Promise<void>;
  /** The time of the oldest delivery or run, in UTC milliseconds; `null`: there is none. */
  findOldest(): Promise<number | null>;
}
