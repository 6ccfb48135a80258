import type { Json } from "../contract/json.ts";
import type { Run } from "../contract/run.ts";
import type { ReadMasks } from "../domain/privacy/sensitive-rules.ts";
import type { Store } from "./store.ts";

/** Sensitive fields of the project, in what leaves the service. */
export interface Masking {
  /** Reads no sensitive values. Everything that leaves the service is read from it. */
  masked: Store;
  /**
   * Reads the recorded values, for operations that evaluate, run or reveal them. Its searches find only what `masked`
   * shows.
   */
  originals: Store;
  /** For what operations on `originals` return. */
  readMasks: ReadMasks;
  /** Puts the recorded values back into a value that was edited as the masked store shows it. `run`: as recorded. */
  restore(run: Run, value: Json): Promise<Json>;
}
