import { parseDuration } from "../../sdk/duration.ts";
import { StepError } from "../../sdk/errors.ts";
import { readStepOptions, type StepPolicy } from "../../sdk/retry-options.ts";
import { type ApprovalDecision, type ApprovalRequest, approvalStepSchema } from "../contract/agent/trace.ts";
import type { Json } from "../contract/json.ts";
import { type FailedTries, keepsWorker, planNextTry, readFailedTries } from "../domain/runs/step-tries.ts";
import { isObject } from "../domain/schema/json-schema.ts";
import { type Clock, elapsedMs, startTimer } from "../ports/clock.ts";
import { type Logger, runLogFields } from "../ports/logger.ts";
import type { ProjectCode } from "../ports/project.ts";
import type { NewTimelineEntry, RunAttempt, Spend, StepRecord } from "../ports/store/engine-store.ts";
import type { RunTrace } from "../ports/tracing.ts";
import { detailsOfError, readRetryHint, toRunError } from "./run-errors.ts";
import { createRepeatFilter, createRunLog, type RunSession } from "./run-session.ts";
import { cloneJson } from "./run-values.ts";
import { callStep, type StepFunction } from "./steps/call-step.ts";
import { createOrderedResults, findStored, takeName } from "./steps/stored-steps.ts";

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
}

/** The state of the run for the code that uses its ctx. */
type ContextState =
  | { kind: "open" }
  /** Sleeping: no call resolves any more in this process. */
  | { kind: "suspended" }
  /** The run has ended: every call throws. */
  | { kind: "closed"; reason: () => Error };

export interface OpenSleep {
  record: StepRecord;
  until: number;
}

interface RunContextOptions {
  run: RunAttempt;
  steps: readonly StepRecord[];
  session: RunSession;
  clock: Clock;
  random: () => number;
  /** See ExecuteRunOptions. */
  maxHeldWaitMs?: number | undefined;
  signal: AbortSignal;
  code: Pick<ProjectCode, "mapStack" | "excerptOf">;
  logger: Logger;
  /** Absent or `null`: no tracing. */
  trace?: RunTrace | null;
  /** Called when only sleeps are left: the run can be suspended until the first of them ends. */
  onSuspendable: (sleeps: OpenSleep[]) => void;
}

/** A new promise each time: a shared promise would keep all its waiters in memory. */
const never = (): Promise<never> => new Promise(() => {});

/** The target's `ctx`, and the function that closes it. */
export function createRunContext(options: RunContextOptions) {
  const { run, session, clock, signal } = options;
  const { attempt } = run;
  const stored = new Map(options.steps.map((step) => [step.name, step]));
  const takenNames = new Set<string>();
  const openSleeps = new Map<string, OpenSleep & { stop: () => void }>();
  const ordered = createOrderedResults();
  const reached = options.steps.filter((step) => step.finishedAt !== null || step.attempt === attempt);
  const repeats = createRepeatFilter({
    stored: run.isResumed ? reached.map(({ name }) => name) : [],
    write: (entries) => session.note({ entries }),
  });
  let state: ContextState = { kind: "open" };
  let stepsInFlight = 0;
  let activity = 0;

  /**
   * Throws if the run has ended in this process, so that code that is still running has no effect. Returns `false` if
   * the call must never resolve, because the run sleeps.
   */
  function isOpen(): boolean {
    activity += 1;
    if (state.kind === "closed") throw state.reason();
    return state.kind === "open";
  }

  async function step(name: string, fn: StepFunction, call: StepCall = {}): Promise<Json> {
    if (!isOpen()) return await never();
    if (typeof fn !== "function")
      throw new TypeError(`ctx.step(${JSON.stringify(name)}, …) needs a function as its last argument.`);
    const key = takeName(name, takenNames);
    const known = findStored(stored, key, "step");
    repeats.reach(key);
    if (known && known.finishedAt !== null) {
      session.note({ entries: [{ at: clock.now(), kind: "step_reused", attempt, name: key }] });
      return await ordered.give(cloneJson(known.result), known.finishedAt);
    }
    const { policy = noPolicy } = call;
    return await makeTries({ key, fn, policy, call }, policy.retries && readFailedTries(known, attempt));
  }

  /** Tries a step until it completes or has no retries left. `failed`: its tries before. */
  async function makeTries(step: OpenStep, failed: FailedTries | null): Promise<Json> {
    let before = failed;
    for (;;) {
      if (before && before.nextAt === null) {
        await ordered.give(undefined, before.failedAt);
        if (!isOpen()) return await never();
        throw new StepError({ step: step.key, ...before });
      }
      if (before?.nextAt) await waitForTry(step, before, before.nextAt);
      const tried = await whileInFlight(() => makeTry(step, before));
      if ("result" in tried) return tried.result;
      before = tried.failed;
    }
  }

  /** While a step is in flight, the run is not suspended. */
  async function whileInFlight<T>(work: () => Promise<T>): Promise<T> {
    stepsInFlight += 1;
    try {
      return await work();
    } finally {
      stepsInFlight -= 1;
      considerSuspending();
    }
  }

  async function makeTry(
    step: OpenStep,
    before: FailedTries | null,
  ): Promise<{ result: Json } | { failed: FailedTries }> {
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
    if (session.isOverdue()) {
      const isHeld = await session.write({});
      if (!isOpen() || !isHeld) return await never();
    }
    let result: Json;
    try {
      result = await execute(step);
    } catch (thrown) {
      const failed = await noteFailure(step, { thrown, before, begun });
      if (failed) return { failed };
      if (!call.recover) throw thrown;
      result = call.recover(thrown);
    }
    if (!isOpen()) return await never();
    const finishedAt = clock.now();
    const record: StepRecord = { name: key, kind: "step", attempt, startedAt, finishedAt, until: null, result };
    const spend = call.spendAfter?.(result);
    const isWritten = await session.write({
      steps: [record],
      entries: [{ at: finishedAt, kind: "step_completed", attempt, name: key, durationMs: elapsedMs(clock) - begun }],
      ...(spend ? { spend } : {}),
    });
    if (!isOpen() || !isWritten) return await never();
    stored.set(key, record);
    options.logger.debug("step completed", { ...runLogFields(run), step: key });
    return { result: cloneJson(result) };
  }

  function execute({ key, fn, policy: { timeoutMs } }: OpenStep): Promise<Json> {
    const call = () => callStep({ key, fn, runId: run.id, signal, timeoutMs, clock });
    return options.trace ? options.trace.step(key, call) : call();
  }

  /**
   * Records a failed try. Returns the failed tries of a step with retries of its own, after they are stored; `null` if
   * it has none, or if a result replaces its failure.
   */
  async function noteFailure(
    step: OpenStep,
    { thrown, before, begun }: { thrown: unknown; before: FailedTries | null; begun: number },
  ): Promise<FailedTries | null> {
    if (!isOpen()) return await never();
    const { key, policy } = step;
    const now = clock.now();
    const error = toRunError(thrown, options.code.mapStack);
    const failure = readRetryHint(thrown, now);
    const failed =
      policy.retries && planNextTry({ policy: policy.retries, before, error, failure, now, random: options.random });
    // The message belongs to the project and is in the timeline.
    options.logger.debug("step failed", { ...runLogFields(run), step: key, error: error.name });
    if (step.call.recover && !failed?.nextAt) return null;
    const data = { ...detailsOfError(thrown, options.code.excerptOf), ...triesOf(step, before).data };
    const entry: NewTimelineEntry = {
      at: now,
      kind: "step_failed",
      attempt,
      name: key,
      durationMs: elapsedMs(clock) - begun,
      error,
      ...(failed?.nextAt ? { until: failed.nextAt } : {}),
      ...(Object.keys(data).length > 0 ? { data } : {}),
    };
    if (!failed) {
      session.note({ entries: [entry] });
      return null;
    }
    const isWritten = await session.write({ entries: [entry], steps: [toTriesRecord(key, failed)] });
    if (!isOpen() || !isWritten) return await never();
    return failed;
  }

  /** The record of a step that has not completed: it waits from its last failure until its next try. */
  function toTriesRecord(name: string, { nextAt, ...result }: FailedTries): StepRecord {
    return { name, kind: "step", attempt, startedAt: result.failedAt, finishedAt: null, until: nextAt, result };
  }

  /** A long wait suspends the run, if nothing else keeps it. */
  async function waitForTry({ key }: OpenStep, failed: FailedTries, until: number): Promise<void> {
    const now = clock.now();
    const wait = () =>
      new Promise<void>((resolve) => {
        const wake = () => {
          if (state.kind === "open" && openSleeps.delete(key)) resolve();
        };
        const stopTimer = startTimer(clock, wake, until - now);
        const stop = () => {
          stopTimer();
          if (state.kind === "closed") resolve();
        };
        openSleeps.set(key, { record: toTriesRecord(key, failed), until, stop });
        considerSuspending();
      });
    const isHeld = keepsWorker({ nextAt: until, now, maxMs: options.maxHeldWaitMs });
    if (until > now) await (isHeld ? whileInFlight(wait) : wait());
    if (!isOpen()) return await never();
  }

  async function sleep(name: string, duration: unknown): Promise<void> {
    if (!isOpen()) return await never();
    const ms = parseDuration(duration);
    if (ms === null)
      throw new TypeError(
        `ctx.sleep(${JSON.stringify(name)}, ${JSON.stringify(duration)}): a duration must be a number of milliseconds or a string such as "10s", "5m", "1.5h" or "7d".`,
      );
    const key = takeName(name, takenNames);
    const known = findStored(stored, key, "sleep");
    repeats.reach(key);
    if (known && known.finishedAt !== null) return await ordered.give(undefined, known.finishedAt);
    const record = known ?? beginSleep(key, ms);
    const until = record.until ?? record.startedAt;
    if (until <= clock.now()) {
      finishSleep(record, until);
      return await ordered.give(undefined, until);
    }
    await new Promise<void>((resolve) => {
      const wake = () => {
        if (state.kind !== "open" || !openSleeps.delete(key)) return;
        finishSleep(record, until);
        resolve();
      };
      const stop = startTimer(clock, wake, until - clock.now());
      openSleeps.set(key, { record, until, stop });
      considerSuspending();
    });
  }

  /**
   * Suspends the run until a person decides, or until the wait times out. The decision is in the store when the run
   * continues.
   */
  async function approve(name: string, request: ApprovalRequest, timeoutMs: number): Promise<ApprovalDecision> {
    if (!isOpen()) return await never();
    const key = takeName(name, takenNames);
    const known = findStored(stored, key, "approval");
    repeats.reach(key);
    if (known && known.finishedAt !== null) return await ordered.give(readDecision(known.result), known.finishedAt);
    const record = known ?? beginApproval(key, request, timeoutMs);
    const until = record.until ?? record.startedAt;
    if (until <= clock.now()) return giveUp(record, until);
    return await new Promise((resolve) => {
      const expire = () => {
        if (state.kind === "open" && openSleeps.delete(key)) resolve(giveUp(record, until));
      };
      const stop = startTimer(clock, expire, until - clock.now());
      openSleeps.set(key, { record, until, stop });
      considerSuspending();
    });
  }

  /** Stored only when the run is suspended: no decision is possible while the run is active. */
  function beginApproval(key: string, request: ApprovalRequest, timeoutMs: number): StepRecord {
    const startedAt = clock.now();
    const until = startedAt + timeoutMs;
    session.note({
      entries: [{ at: startedAt, kind: "approval_requested", attempt, name: key, until, data: { ...request } }],
    });
    return {
      name: key,
      kind: "approval",
      attempt,
      startedAt,
      finishedAt: null,
      until,
      result: { request: { ...request } },
    };
  }

  function giveUp(record: StepRecord, finishedAt: number): ApprovalDecision {
    activity += 1;
    const decision = { isApproved: false, reason: "The approval timed out.", by: null };
    session.note({
      entries: [{ at: clock.now(), kind: "approval_decided", attempt, name: record.name, data: decision }],
      steps: [{ ...record, finishedAt, result: { ...(isObject(record.result) ? record.result : {}), decision } }],
    });
    return decision;
  }

  /** `ctx.step` with or without options. */
  async function callWithOptions(name: string, [first, second]: readonly unknown[]): Promise<Json> {
    const [given, fn] = second === undefined ? [undefined, first] : [first, second];
    const policy = readStepOptions(given, `ctx.step(${JSON.stringify(name)}, …)`);
    return await step(name, fn as StepFunction, { policy });
  }

  function beginSleep(key: string, ms: number): StepRecord {
    const startedAt = clock.now();
    const until = startedAt + ms;
    const record: StepRecord = { name: key, kind: "sleep", attempt, startedAt, finishedAt: null, until, result: null };
    session.note({ entries: [{ at: startedAt, kind: "sleep_started", attempt, name: key, until }], steps: [record] });
    return record;
  }

  function finishSleep(record: StepRecord, finishedAt: number): void {
    activity += 1;
    session.note({
      entries: [{ at: clock.now(), kind: "sleep_finished", attempt, name: record.name }],
      steps: [{ ...record, finishedAt }],
    });
  }

  /** Code between two steps has two turns of the event loop to start the next step. */
  function considerSuspending(): void {
    if (openSleeps.size === 0 || stepsInFlight > 0) return;
    const before = activity;
    setImmediate(() =>
      setImmediate(() => {
        if (state.kind !== "open" || openSleeps.size === 0 || stepsInFlight > 0) return;
        if (activity !== before) return considerSuspending();
        options.onSuspendable([...openSleeps.values()]);
      }),
    );
  }

  const log = createRunLog({ attempt, now: () => clock.now(), note: repeats.note });

  return {
    ctx: {
      run: { id: run.id, attempt, trigger: run.trigger, deliveryId: run.deliveryId },
      step: (name: string, ...rest: unknown[]) => callWithOptions(name, rest),
      sleep,
      log,
      signal,
    },
    /** For agents only. */
    agent: { step, approve, publishLive: session.publishLive },
    /** Flushes the log entries since the last step, before the last write. */
    flushLog: () => repeats.flush(),
    close(next: ContextState): void {
      state = next;
      for (const { stop } of openSleeps.values()) stop();
    },
  };
}

const noPolicy: StepPolicy = { retries: null, timeoutMs: null };

/** The number of this try, for the timeline. Steps without retries of their own have none. */
function triesOf({ policy: { retries } }: OpenStep, before: FailedTries | null): { data?: { [key: string]: Json } } {
  return retries ? { data: { try: (before?.tries ?? 0) + 1, maxTries: retries.attempts } } : {};
}

function readDecision(result: Json): ApprovalDecision {
  return approvalStepSchema.parse(result).decision ?? { isApproved: false, reason: null, by: null };
}
