import type { EventWait, StepRecord } from "../../ports/store/engine-store.ts";

/** What a run waits for when it is suspended. */

/** A wait for events, until the run has one of them. Only the store can end it: it has the deliveries. */
export interface OpenWait {
  record: StepRecord;
  events: readonly EventWait[];
}

export interface OpenSleep {
  record: StepRecord;
  until: number;
}
