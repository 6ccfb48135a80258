/** What a store has, as far as it says whether a service is well. */
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
  }[];
  disabledTriggers: string[];
  people: number;
  admins: number;
}
