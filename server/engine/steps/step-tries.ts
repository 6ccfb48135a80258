import { StepError } from "../../../sdk/errors.ts";
import type { StepPolicy } from "../../../sdk/retry-options.ts";
import type { Json } from "../../contract/json.ts";
import { type FailedTries, keepsWorker, planNextTry, readFailedTries } from "../../domain/runs/step-tries.ts";
import { type Clock, elapsedMs } from "../../ports/clock.ts";
import { type Logger, runLogFields } from "../../ports/logger.ts";
import type { ProjectCode } from "../../ports/project.ts";
import type { AssignedRun } from "../../ports/run-channel.ts";
import type { NewTimelineEntry, Spend, StepRecord } from "../../ports/store/engine-store.ts";
import type { RunTrace } from "../../ports/tracing.ts";
import { detailsOfError, readRetryHint, toRunError } from "../run-errors.ts";
import type { RunSession } from "../run-session.ts";
import { cloneJson } from "../run-values.ts";
import { callStep, type StepFunction } from "./call-step.ts";
import type { OpenCall } from "./completions.ts";
import type { StoredBytes } from "./stored-bytes.ts";
import { restoreThrown, storeThrown } from "./thrown-value.ts";

/** What a step needs besides its name and its function. */
export interface StepCall {
  policy?: StepPolicy | undefined;
  /** The total usage of the run including this step; written together with the result. */
  spendAfter?: ((result: Json) => Spend | undefined) | undefined;
  /** The result of a step that has no retries left, in place of its failure. */
  recover?: ((thrown: unknown) => Json) | undefined;
}

interface OpenStep {
  key: string;
  fn: StepFunction;
  policy: StepPolicy;
  call: StepCall;
  open: OpenCall;
}

/** What the code of an execution needs to be executed, and its steps. */
export interface ExecutionOptions {
  run: AssignedRun;
  session: RunSession;
  clock: Clock;
  random: () => number;
  /** See ExecuteRunOptions. */
  maxHeldWaitMs?: number | undefined;
  signal: AbortSignal;
  /** Whether no further step may start, because the run is to return to the queue. */
  isReturning: () => boolean;
  code: Pick<ProjectCode, "mapStack" | "excerptOf" | "manifest">;
  logger: Logger;
  /** Removes sensitive values from a text for a log. */
  hide: (text: string) => string;
  /** Absent or `null`: no tracing. */
  trace?: RunTrace | null;
}

/** The rules of the context that also apply to its steps. */
interface StepContextRules extends ExecutionOptions {
  /** The execution of the run: an object of its own. */
  execution: object;
  storedBytes: StoredBytes;
  requireOpen: (isWritten?: boolean) => Promise<void>;
  untilReturned: () => Promise<void>;
  completeOrNever: (open: OpenCall) => Promise<void>;
  whileInFlight: <T>(work: () => Promise<T>) => Promise<T>;
  waitUntil: (record: StepRecord, until: number) => Promise<void>;
}

export const noPolicy: StepPolicy = { retries: null, timeoutMs: null };

/** Executes steps whose results are not stored. */
export function createStepTries(p: StepContextRules) {
  const { run, session, clock, signal } = p;
  const { attempt } = run;

  /** Tries a step until it completes or has no retries left. `known`: its stored tries. */
  async function make(step: OpenStep, known: StepRecord | undefined): Promise<Json> {
    const { key, policy, open } = step;
    let failed = readFailedTries(known, attempt);
    // Its options may have changed.
    if (failed && failed.nextAt !== null && !policy.retries) failed = null;
    for (;;) {
      if (failed && failed.nextAt === null) {
        await p.completeOrNever(open);
        throw failed.thrown === undefined ? new StepError({ step: key, ...failed }) : restoreThrown(failed.thrown);
      }
      if (failed?.nextAt) await waitForTry(step, failed, failed.nextAt);
      if (p.isReturning()) await p.untilReturned();
      const before: FailedTries | null = failed;
      const tried = await p.whileInFlight(() => makeTry(step, before));
      if ("result" in tried) {
        await p.completeOrNever(open);
        return tried.result;
      }
      failed = tried.failed;
      if (failed.nextAt === null && !policy.retries) {
        await p.completeOrNever(open);
        // The code receives the error itself. It is restored only if the code is executed again.
        throw tried.thrown;
      }
    }
  }

  async function makeTry(
    step: OpenStep,
    before: FailedTries | null,
  ): Promise<{ result: Json } | { failed: FailedTries; thrown: unknown }> {
    const { key, call } = step;
    const startedAt = clock.now();
    const begun = elapsedMs(clock);
    const started: NewTimelineEntry = {
      at: startedAt,
      kind: "step_started",
      attempt,
      name: key,
      ...triesOf(step, before),
    };
    session.note({ entries: [started] });
    if (session.isOverdue()) await p.requireOpen(await session.write({}));
    let result: Json;
    try {
      p.storedBytes.requireRoom(key);
      result = await execute(step);
      p.storedBytes.add(key, result);
    } catch (thrown) {
      const failed = await noteFailure(step, { thrown, before, begun });
      if (failed) return { failed, thrown };
      result = call.recover?.(thrown) ?? null;
      p.storedBytes.count(key, result);
    }
    await p.requireOpen();
    const finishedAt = clock.now();
    const record: StepRecord = {
      name: key,
      kind: "step",
      attempt,
      startedAt,
      finishedAt,
      until: null,
      result,
      sequence: step.open.number(),
    };
    const spend = call.spendAfter?.(result);
    const isWritten = await session.write({
      steps: [record],
      entries: [{ at: finishedAt, kind: "step_completed", attempt, name: key, durationMs: elapsedMs(clock) - begun }],
      ...(spend ? { spend } : {}),
    });
    await p.requireOpen(isWritten);
    p.logger.debug("step completed", { ...runLogFields(run), step: p.hide(key) });
    return { result: cloneJson(result) };
  }

  function execute({ key, fn, policy: { timeoutMs } }: OpenStep): Promise<Json> {
    const call = () => callStep({ execution: p.execution, key, fn, runId: run.id, signal, timeoutMs, clock });
    return p.trace ? p.trace.step(key, call) : call();
  }

  /** Stores a failed try. Returns the failed tries; `null` if a result replaces the failure. */
  async function noteFailure(
    step: OpenStep,
    { thrown, before, begun }: { thrown: unknown; before: FailedTries | null; begun: number },
  ): Promise<FailedTries | null> {
    await p.requireOpen();
    const { key, policy, open } = step;
    const now = clock.now();
    const error = toRunError(thrown, p.code.mapStack);
    const failure = readRetryHint(thrown, now);
    const failed: FailedTries = policy.retries
      ? planNextTry({ policy: policy.retries, before, error, failure, now, random: p.random })
      : { tries: 1, error, failedAt: now, nextAt: null, thrown: storeThrown(thrown, p.code.mapStack) };
    // The message belongs to the project and is in the timeline.
    p.logger.debug("step failed", { ...runLogFields(run), step: p.hide(key), error: p.hide(error.name) });
    if (step.call.recover && failed.nextAt === null) return null;
    const data = { ...detailsOfError(thrown, p.code.excerptOf), ...triesOf(step, before).data };
    const entry: NewTimelineEntry = {
      at: now,
      kind: "step_failed",
      attempt,
      name: key,
      durationMs: elapsedMs(clock) - begun,
      error,
      ...(failed.nextAt ? { until: failed.nextAt } : {}),
      ...(Object.keys(data).length > 0 ? { data } : {}),
    };
    if (failed.nextAt === null) open.number();
    const record = toRecord(step, failed);
    p.storedBytes.count(key, record.result);
    await p.requireOpen(await session.write({ entries: [entry], steps: [record] }));
    return failed;
  }

  /** The record of a step that has not completed: it waits from its last failure until its next try. */
  function toRecord({ key, open }: OpenStep, { nextAt, ...result }: FailedTries): StepRecord {
    return {
      name: key,
      kind: "step",
      attempt,
      startedAt: result.failedAt,
      finishedAt: null,
      until: nextAt,
      result,
      sequence: open.sequence,
    };
  }

  /** A long wait suspends the run, if nothing else keeps it. */
  async function waitForTry(step: OpenStep, failed: FailedTries, until: number): Promise<void> {
    const wait = () => p.waitUntil(toRecord(step, failed), until);
    const isHeld = keepsWorker({ nextAt: until, now: clock.now(), maxMs: p.maxHeldWaitMs });
    await (isHeld ? p.whileInFlight(wait) : wait());
    await p.requireOpen();
  }

  return { make };
}

/** The number of this try, for the timeline. Steps without retries of their own have none. */
function triesOf({ policy: { retries } }: OpenStep, before: FailedTries | null): { data?: { [key: string]: Json } } {
  return retries ? { data: { try: (before?.tries ?? 0) + 1, maxTries: retries.attempts } } : {};
}
