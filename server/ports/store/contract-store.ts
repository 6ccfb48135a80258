import type { UpkeepBatch } from "./upkeep-store.ts";

/** What upkeep has recorded of the deliveries of one endpoint. The store does not read its content. */
interface StoredContracts {
  /** Increases with every change; 0 without one. */
  revision: number;
  /** Text about the endpoint as a whole; `null`: nothing was recorded. */
  endpoint: string | null;
  /** Text about each kind of event. */
  kinds: Map<string, string>;
}

export interface ContractStore {
  readContracts(endpoint: string): Promise<StoredContracts>;
  /**
   * Writes the texts of an endpoint, and those of the changed kinds. Returns `false`, and writes nothing, if they were
   * changed after `revision`. `lastSeen` is the time of the last delivery, in Unix milliseconds.
   */
  saveContracts(p: {
    endpoint: string;
    revision: number;
    content: string;
    lastSeen: number;
    kinds: readonly { kind: string; content: string; lastSeen: number }[];
  }): Promise<boolean>;
  /** Removes what is about deliveries before that time only. */
  removeOldContracts(p: { before: number }): Promise<UpkeepBatch<true>>;
}
