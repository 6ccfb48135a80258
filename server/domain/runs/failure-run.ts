import type { ManifestWorkflow } from "../../contract/project/manifest.ts";
import type { RetryPolicy } from "../../contract/project/options.ts";
import type { Target } from "../../contract/project/target.ts";
import { newId } from "../ids.ts";
import { type RunLimits, runLimitsOf } from "./run-limits.ts";

/** How the code of `onFailure` is retried, regardless of the retries of its target. */
export const onFailurePolicy: RetryPolicy = { attempts: 5, backoff: "exponential", initialMs: 1_000, maxMs: 3_600_000 };

/** The run of `onFailure`. It is recorded by the transaction in which the other run fails. */
export interface FailureRun extends Omit<RunLimits, "maxQueued"> {
  id: string;
  version: string;
  maxAttempts: number;
}

/** The parts of a target that decide about failures. `null`: it is not in the build. */
export type FailingTarget = (Pick<ManifestWorkflow, "retries" | "hasOnFailure"> & RunLimits) | null;

/**
 * Plans the run of `onFailure` for a run that fails permanently; `null`: there is none. The failure of an `onFailure`
 * starts nothing, so it cannot loop.
 */
export function planFailureRun(p: {
  run: { failureOf: string | null };
  target: FailingTarget;
  /** The build whose `onFailure` is called. */
  version: string;
  now: number;
}): FailureRun | null {
  if (p.run.failureOf !== null || !p.target?.hasOnFailure) return null;
  return failureRunOf({ ...p, target: p.target });
}

/** It is recorded even if the queue is full. */
export function failureRunOf({
  target,
  version,
  now,
}: {
  target: RunLimits;
  version: string;
  now: number;
}): FailureRun {
  const { maxQueued: _, ...limits } = runLimitsOf(target);
  return { id: newId("run", now), version, maxAttempts: onFailurePolicy.attempts, ...limits };
}

/** `null`: the target is not in the build, and the run is not retried. */
export function policyOf(run: { failureOf: string | null }, target: FailingTarget): RetryPolicy | null {
  return target && run.failureOf !== null ? onFailurePolicy : (target?.retries ?? null);
}

/** The row of a run of `onFailure`. Its worker gets the failed run when the code starts. */
export function toFailureRun(p: {
  failed: { id: string; trigger: string | null; target: Target; key: string | null };
  plan: FailureRun;
  now: number;
}) {
  const { failed, plan, now } = p;
  return {
    ...plan,
    trigger: failed.trigger,
    attachmentId: null,
    target: failed.target,
    deliveryId: null,
    startedBy: "failure" as const,
    replayOf: null,
    failureOf: failed.id,
    createdAt: now,
    payload: null,
    input: null,
    keyId: null,
    key: failed.key,
  };
}
