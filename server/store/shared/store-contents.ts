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
  people: number;
  admins: number;
}
