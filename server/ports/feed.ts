import type { StoreTopic } from "./store.ts";

/** What a write, or a new build, may have changed. `live`: the live output of models. */
export type Change = StoreTopic | "live" | "build";

/** A source of live data. `Data`: the data of one event. */
export interface Feed<Data> {
  /**
   * What is new since the last look; `null`: nothing. `has`: whether something of this kind may have changed since
   * then; always true for the first look, and after one that failed.
   */
  look(has: (change: Change) => boolean): Promise<{ after: string; data: Data } | null>;
}
