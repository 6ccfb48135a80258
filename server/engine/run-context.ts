import { parseDuration } from "../../sdk/duration.ts";
import { type ApprovalDecision, type ApprovalRequest, approvalStepSchema } from "../contract/agent/trace.ts";
import type { Json } from "../contract/json.ts";
import { setLongTimeout } from "../domain/event-loop.ts";
import { isObject } from "../domain/schema/json-schema.ts";
import { type Clock, elapsedMs } from "../ports/clock.ts";
import { type Logger, runLogFields } from "../ports/logger.ts";
import type { ProjectCode } from "../ports/project.ts";
import type { RunAttempt, Spend, StepRecord } from "../ports/store/engine-store.ts";
import type { RunTrace } from "../ports/tracing.ts";
import { excerptOfError, FinalFailure, toRunError } from "./run-errors.ts";
import { createRepeatFilter, createRunLog, type RunSession } from "./run-session.ts";
import { cloneJson, toJson } from "./run-values.ts";

export interface StepContext {
  idempotencyKey: string;
  signal: AbortSignal;
}

type SpendAfter = (result: Json) => Spend | undefined;

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
  const repeats = createRepeatFilter({
    stored: run.isResumed ? stored.keys() : [],
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

  /** `spendAfter`: the total usage of the run including this step; written together with the result. */
  async function step(name: string, fn: (step: StepContext) => unknown, spendAfter?: SpendAfter): Promise<Json> {
    if (!isOpen()) return await never();
    if (typeof fn !== "function")
      throw new TypeError(`ctx.step(${JSON.stringify(name)}, …) needs a function as its second argument.`);
    const key = takeName(name, takenNames);
    const known = findStored(stored, key, "step");
    repeats.reach(key);
    if (known && known.finishedAt !== null) {
      session.note({ entries: [{ at: clock.now(), kind: "step_reused", attempt, name: key }] });
      return await ordered.give(cloneJson(known.result), known.finishedAt);
    }
    stepsInFlight += 1;
    try {
      return await executeStep(key, fn, spendAfter);
    } finally {
      stepsInFlight -= 1;
      considerSuspending();
    }
  }

  async function executeStep(key: string, fn: (step: StepContext) => unknown, spendAfter?: SpendAfter): Promise<Json> {
    const startedAt = clock.now();
    const begun = elapsedMs(clock);
    session.note({ entries: [{ at: startedAt, kind: "step_started", attempt, name: key }] });
    if (session.isOverdue()) {
      const isHeld = await session.write({});
      if (!isOpen() || !isHeld) return await never();
    }
    const result = await runStep(key, fn, begun);
    if (!isOpen()) return await never();
    const finishedAt = clock.now();
    const record: StepRecord = { name: key, kind: "step", attempt, startedAt, finishedAt, until: null, result };
    const spend = spendAfter?.(result);
    const isWritten = await session.write({
      steps: [record],
      entries: [{ at: finishedAt, kind: "step_completed", attempt, name: key, durationMs: elapsedMs(clock) - begun }],
      ...(spend ? { spend } : {}),
    });
    if (!isOpen() || !isWritten) return await never();
    stored.set(key, record);
    options.logger.debug("step completed", { ...runLogFields(run), step: key });
    return cloneJson(result);
  }

  async function runStep(key: string, fn: (step: StepContext) => unknown, begun: number): Promise<Json> {
    try {
      const execute = async () =>
        toJson(await fn({ idempotencyKey: `${run.id}:${key}`, signal }), `The result of step ${key}`);
      return await (options.trace ? options.trace.step(key, execute) : execute());
    } catch (thrown) {
      if (!isOpen()) return await never();
      const at = clock.now();
      const error = toRunError(thrown, options.code.mapStack);
      // The message belongs to the project and is in the timeline.
      options.logger.debug("step failed", { ...runLogFields(run), step: key, error: error.name });
      const source = excerptOfError(thrown, options.code.excerptOf);
      session.note({
        entries: [
          {
            at,
            kind: "step_failed",
            attempt,
            name: key,
            durationMs: elapsedMs(clock) - begun,
            error,
            ...(source ? { data: { source } } : {}),
          },
        ],
      });
      throw thrown;
    }
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
      const stop = setLongTimeout(() => {
        if (state.kind !== "open" || !openSleeps.delete(key)) return;
        finishSleep(record, until);
        resolve();
      }, until - clock.now());
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
      const stop = setLongTimeout(() => {
        if (state.kind === "open" && openSleeps.delete(key)) resolve(giveUp(record, until));
      }, until - clock.now());
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
      step: (name: string, fn: (step: StepContext) => unknown) => step(name, fn),
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

const maxNameChars = 200;

/** Repeated names are numbered in order of use: the second `a` is `a#2`. */
function takeName(name: unknown, taken: Set<string>): string {
  if (typeof name !== "string" || name === "" || name.length > maxNameChars) {
    throw new TypeError(`The name of a step or sleep must be a string of 1 to ${maxNameChars} characters.`);
  }
  let key = name;
  for (let use = 2; taken.has(key); use += 1) key = `${name}#${use}`;
  taken.add(key);
  return key;
}

function readDecision(result: Json): ApprovalDecision {
  return approvalStepSchema.parse(result).decision ?? { isApproved: false, reason: null, by: null };
}

function findStored(
  stored: ReadonlyMap<string, StepRecord>,
  key: string,
  kind: StepRecord["kind"],
): StepRecord | undefined {
  const record = stored.get(key);
  if (!record || record.kind === kind) return record;
  throw new FinalFailure(
    "StepChanged",
    `${key} was a ${record.kind} when this run started, but is a ${kind} now. Give it another name, or replay the run.`,
  );
}

/**
 * Returns stored results in the order in which they first resolved. Concurrent calls (`Promise.race` of a step and a
 * sleep) must resolve in the same order when the code runs again. So they are collected for one turn of the event loop
 * and then resolved one by one.
 */
function createOrderedResults(): { give<T>(result: T, finishedAt: number): Promise<T> } {
  const waiting: { finishedAt: number; resolve: () => void }[] = [];
  let isPlanned = false;

  function giveNext(): void {
    waiting.sort((a, b) => a.finishedAt - b.finishedAt);
    const next = waiting.shift();
    isPlanned = waiting.length > 0;
    if (isPlanned) setImmediate(giveNext);
    next?.resolve();
  }

  return {
    give: (result, finishedAt) =>
      new Promise((resolve) => {
        waiting.push({ finishedAt, resolve: () => resolve(result) });
        if (isPlanned) return;
        isPlanned = true;
        setImmediate(giveNext);
      }),
  };
}
