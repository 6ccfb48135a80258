import type { DeliveryOutcome, VerdictOutcome } from "../contract/delivery.ts";
import type { TargetKind } from "../contract/project/target.ts";
import type { RunStatus, StartedBy } from "../contract/run.ts";
import type { LogLevel, TimelineKind } from "../contract/timeline.ts";

/**
 * Rows have numbers instead of the names of states, outcomes and kinds. They are in every store: a number never changes
 * its meaning, and a new name gets a new number.
 */
export type Codes<Name extends string> = Readonly<Record<Name, number>>;

/** Runs that have not ended have the lowest numbers. */
export const runStatusCodes = {
  queued: 0,
  waiting: 1,
  running: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  timed_out: 6,
} as const satisfies Codes<RunStatus>;

export const deliveryOutcomeCodes = {
  accepted: 0,
  skipped: 1,
  rejected: 2,
  repeated: 3,
  held: 4,
} as const satisfies Codes<DeliveryOutcome>;

export const verdictOutcomeCodes = {
  matched: 0,
  request_mismatch: 1,
  filter_mismatch: 2,
  disabled: 3,
  headers_mismatch: 4,
  query_mismatch: 5,
} as const satisfies Codes<VerdictOutcome>;

export const targetKindCodes = { workflow: 0, agent: 1 } as const satisfies Codes<TargetKind>;

export const startedByCodes = {
  webhook: 0,
  form: 1,
  api: 2,
  cli: 3,
  replay: 4,
  failure: 5,
  parent: 6,
} as const satisfies Codes<StartedBy>;

export const stepKindCodes = { step: 0, sleep: 1, approval: 2, event: 3, child: 4 } as const;

export const logLevelCodes = { debug: 0, info: 1, warn: 2, error: 3 } as const satisfies Codes<LogLevel>;

export const timelineKindCodes = {
  queued: 0,
  attempt_started: 1,
  attempt_failed: 2,
  retry_scheduled: 3,
  resumed: 4,
  step_started: 5,
  step_completed: 6,
  step_failed: 7,
  step_reused: 8,
  sleep_started: 9,
  sleep_finished: 10,
  approval_requested: 11,
  approval_decided: 12,
  worker_lost: 13,
  cancel_requested: 14,
  log: 15,
  completed: 16,
  failed: 17,
  canceled: 18,
  timed_out: 19,
  resume_requested: 20,
  key_released: 21,
  wait_started: 22,
  wait_finished: 23,
  child_started: 24,
  child_finished: 25,
} as const satisfies Codes<TimelineKind>;

/** The name of a number; throws for a number that no version has written. */
export function createDecoder<Name extends string>(codes: Codes<Name>): (code: number) => Name {
  const names: Name[] = [];
  for (const name in codes) names[codes[name]] = name;
  return (code) => {
    const name = names[code];
    if (name === undefined) throw new Error(`The store has ${code}, which is none of ${names.join(", ")}.`);
    return name;
  };
}
