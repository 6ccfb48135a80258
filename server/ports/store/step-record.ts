import type { Json } from "../../contract/json.ts";

/** A step, a sleep, a wait, a call of a child run, or an approval of a run. */
export interface StepRecord {
  /** Unique in the run: the second step with the same name is `name#2`. */
  name: string;
  /** Sleeps that end before their time: `approval` by a person's decision, `event` by a delivery, `child` by a run. */
  kind: "step" | "sleep" | "approval" | "event" | "child";
  attempt: number;
  /** The start of a step's last try; the end of that try, if it failed. */
  startedAt: number;
  /** `null` for a sleep, a wait, a call or an approval that has not ended, and for a step that has failed so far. */
  finishedAt: number | null;
  /** The end of a sleep, the time at which a wait, a call or an approval times out, or of the next try of a step. */
  until: number | null;
  /** Of a step that has not completed: its FailedTries. */
  result: Json | null;
  /**
   * Its number among the completions of the run, from 1: steps, sleeps and approvals that ended, and failures that its
   * code received. Executions deliver them in this order. `null`: it is not delivered yet.
   */
  sequence: number | null;
}
