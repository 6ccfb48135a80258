import type { Json } from "../../contract/json.ts";
import type { Target } from "../../contract/project/target.ts";
import type { StartedBy } from "../../contract/run.ts";
import type { ChildPlace } from "../../domain/runs/child-runs.ts";
import type { RunLimits } from "../../domain/runs/run-limits.ts";

/** A run as it is recorded. */
export interface NewRun extends RunLimits {
  id: string;
  trigger: string | null;
  attachmentId: string | null;
  target: Target;
  deliveryId: string | null;
  startedBy: StartedBy;
  replayOf: string | null;
  /** The failed run whose `onFailure` it executes. Absent: it executes `run`. */
  failureOf?: string;
  /** Absent: it has no parent. */
  child?: ChildPlace;
  version: string;
  maxAttempts: number;
  createdAt: number;
  /** The output of the trigger's `request`; `null` if the run starts with its input. */
  payload: Json | null;
  /** The input, if it is already known (without a transform). */
  input: Json | null;
  keyId: string | null;
  /** What it is about. Default: its trigger has no key. Empty: the webhook had no value for it. */
  key?: string | null;
  /** Recorded only if the run that it replays has ended and has no replay. Not stored. */
  isOnlyReplay?: true;
  /**
   * The run is recorded as `running`: in its first attempt, started when it was created. It waits in no queue. Absent:
   * it is recorded as `queued`. `payloadText`: the JSON of the payload, if the worker gets it as well. Default: it
   * is formatted.
   */
  assignment?: { workerId: string; token: string; leaseUntil: number; payloadText?: string | null };
}
