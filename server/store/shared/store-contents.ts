import type { UsedContentKey } from "../../domain/encryption/content-keys.ts";

/** The contents of a store that `signalbox doctor` checks. */
export interface StoreContents {
  /** UTC milliseconds; `null`: no delivery yet. */
  newestDeliveryAt: number | null;
  lastSeenWorkers: number[];
  keys: {
    id: string;
    name: string;
    kind: string;
    endpoints: string[] | null;
    ciphertext: string | null;
    expiresAt: number | null;
    revokedAt: number | null;
    replacedBy: string | null;
  }[];
  disabledTriggers: string[];
  /** The keys that encrypted content. */
  contentKeys: UsedContentKey[];
  /** The time of the oldest delivery or run, in UTC milliseconds; `null`: there is none. */
  oldestAt: number | null;
  people: number;
  admins: number;
}
