import type { Json } from "../contract/json.ts";
import type { ManifestWorkflow } from "../contract/project/manifest.ts";
import type { RetryPolicy } from "../contract/project/options.ts";
import type { RunError } from "../contract/run.ts";
import type { CodeExcerpt } from "../contract/timeline.ts";
import { type FailureRun, planFailureRun, policyOf } from "../domain/runs/failure-run.ts";
import { notDueAt } from "../domain/runs/key-slots.ts";
import { planRetry, type RetryHint } from "../domain/runs/plan-retry.ts";
import { isObject } from "../shared/schema/json-schema.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectCode } from "../ports/project.ts";
import type {
  EventWait,
  RunAttempt,
  NewTimelineEntry,
  RunTransition,
  StepRecord,
} from "../ports/store/engine-store.ts";
import type { Suspension } from "./steps/suspension.ts";
import { excerptOfError, FinalFailure, type Interrupt, readRetryHint, RunTimedOut, toRunError } from "./run-errors.ts";

/** How the execution of a run ended. */
export type Outcome =
  | { kind: "returned"; output: Json }
  | { kind: "threw"; thrown: unknown }
  | ({ kind: "suspended" } & Suspension)
  | { kind: "interrupted"; interrupt: Interrupt };

export interface EndFacts {
  run: RunAttempt;
  workflow: ManifestWorkflow | null;
  clock: Clock;
  timeoutMs: number;
  usedMs: number;
  random: () => number;
  code: Pick<ProjectCode, "mapStack" | "excerptOf" | "manifest">;
}

interface PlannedEnd {
  transition: RunTransition;
  entries: NewTimelineEntry[];
  steps?: StepRecord[];
  /** The events that the run waits for. */
  waits?: readonly EventWait[];
  /** Whether it also waits for child runs. */
  awaitsChildren?: boolean;
}

/** `null` if nothing may be written. */
export function planRunEnd(outcome: Outcome, facts: EndFacts): PlannedEnd | null {
  const at = facts.clock.now();
  const { attempt } = facts.run;
  switch (outcome.kind) {
    case "returned":
      return {
        transition: { to: "completed", output: outcome.output },
        entries: [{ at, kind: "completed", attempt, durationMs: facts.usedMs }],
      };
    case "threw":
      return planFailure(outcome.thrown, facts);
    case "suspended":
      return {
        transition: {
          to: "waiting",
          reason: "sleep",
          // The store decides when a wait for events or a child run ends.
          availableAt: Math.min(notDueAt, ...outcome.sleeps.map(({ until }) => until)),
        },
        entries: [],
        steps: [...outcome.sleeps, ...outcome.waits, ...outcome.calls].map(({ record }) => ({
          ...record,
          result: { ...(isObject(record.result) ? record.result : {}), usedMs: facts.usedMs },
        })),
        ...(outcome.waits.length > 0 && { waits: outcome.waits.flatMap(({ events }) => events) }),
        ...(outcome.calls.length > 0 && { awaitsChildren: true }),
      };
    case "interrupted":
      return planInterruptedEnd(outcome.interrupt, facts, at);
  }
}

function planInterruptedEnd(interrupt: Interrupt, facts: EndFacts, at: number): PlannedEnd | null {
  const { attempt } = facts.run;
  switch (interrupt.kind) {
    case "lost":
      return null;
    case "canceled":
      return { transition: { to: "canceled", error: null }, entries: [{ at, kind: "canceled", attempt }] };
    case "worker_shutdown":
      return {
        transition: { to: "queued" },
        entries: [
          {
            at,
            kind: "log",
            attempt,
            level: "info",
            message: "The worker is shutting down. The run continues after its last completed step.",
          },
        ],
      };
    case "slot_timeout":
      return {
        transition: { to: "queued" },
        entries: [
          {
            at,
            kind: "log",
            attempt,
            level: "info",
            message: "The worker that claimed the run is busy. The run starts on the next free worker.",
          },
        ],
      };
    case "timed_out":
      return planFailure(new RunTimedOut(interrupt.timeoutMs), facts);
    case "crashed":
      return planFailure(interrupt.error, facts);
  }
}

function planFailure(thrown: unknown, facts: EndFacts): PlannedEnd {
  const failure: AttemptFailure = {
    error: toRunError(thrown, facts.code.mapStack),
    source: excerptOfError(thrown, facts.code.excerptOf),
    isTimeout: thrown instanceof RunTimedOut,
    ...readRetryHint(thrown, facts.clock.now()),
    ...(thrown instanceof FinalFailure && thrown.errors !== undefined ? { data: { errors: thrown.errors } } : {}),
  };
  const { run, workflow: target, clock, random, code } = facts;
  const now = clock.now();
  return planAttemptEnd({
    failure,
    policy: policyOf(run, target),
    onFailure: () => planFailureRun({ run, target, version: code.manifest.version, now }),
    attempt: run.attempt,
    maxAttempts: run.maxAttempts,
    attemptsBefore: run.attemptsBefore,
    now,
    random,
  });
}

interface AttemptFailure extends RetryHint {
  error: RunError;
  /** Details, e.g. the paths at which an input does not parse. */
  data?: { [key: string]: Json };
  /** The line of the project's code that caused it. */
  source?: CodeExcerpt | null;
  isTimeout: boolean;
}

/** Plans the next attempt, or the end of the run, after a failed attempt. */
export function planAttemptEnd(p: {
  failure: AttemptFailure;
  /** `null` if the target is not in this build: the run is not retried. */
  policy: RetryPolicy | null;
  /** Called if the run has failed permanently. */
  onFailure: () => FailureRun | null;
  attempt: number;
  maxAttempts: number;
  attemptsBefore: number;
  now: number;
  random: () => number;
}): { transition: RunTransition; entries: NewTimelineEntry[] } {
  const { failure, policy, attempt, now } = p;
  const source: { [key: string]: Json } = failure.source ? { source: failure.source } : {};
  const failed: NewTimelineEntry = {
    at: now,
    kind: "attempt_failed",
    attempt,
    error: failure.error,
    ...withData({ ...failure.data, ...source }),
  };
  const plan = policy ? planRetry({ ...p, policy }) : { kind: "exhausted" as const };
  if (plan.kind === "retry") {
    const { availableAt } = plan;
    return {
      transition: { to: "waiting", reason: "retry", availableAt },
      entries: [failed, { at: now, kind: "retry_scheduled", attempt, until: availableAt }],
    };
  }
  const to = failure.isTimeout ? "timed_out" : "failed";
  return {
    transition: { to, error: failure.error, failureRun: p.onFailure() },
    entries: [failed, { at: now, kind: to, attempt, error: failure.error, ...withData(source) }],
  };
}

function withData(data: { [key: string]: Json }): Pick<NewTimelineEntry, "data"> {
  return Object.keys(data).length === 0 ? {} : { data };
}
