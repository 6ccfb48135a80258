import { parseDuration } from "../../sdk/duration.ts";
import { readStepOptions, showOption } from "../../sdk/retry-options.ts";
import { type ApprovalDecision, type ApprovalRequest, approvalStepSchema } from "../contract/agent/trace.ts";
import type { Json } from "../contract/json.ts";
import { isObject } from "../shared/schema/json-schema.ts";
import { startTimer } from "../ports/clock.ts";
import type { NewTimelineEntry, StepRecord } from "../ports/store/engine-store.ts";
import { createChildCalls } from "./child-calls.ts";
import { createEventWaits } from "./event-waits.ts";
import { FinalFailure } from "./run-errors.ts";
import { createRepeatFilter, createRunLog } from "./run-log.ts";
import { cloneJson } from "./run-values.ts";
import { enclosingStep, type StepFunction } from "./steps/call-step.ts";
import { createCompletions, type OpenCall } from "./steps/completions.ts";
import { countStoredBytes } from "./steps/stored-bytes.ts";
import { createStepTries, type ExecutionOptions, noPolicy, type StepCall } from "./steps/step-tries.ts";
import { createNames, findStored } from "./steps/stored-steps.ts";
import { type ContextRules, type ElapsedCall, never, type OpenSleep, type Suspension } from "./steps/suspension.ts";
import { readTime } from "./wait-request.ts";

/** The state of the run for the code that uses its ctx. */
type ContextState =
  | { kind: "open" }
  /** Sleeping: no call resolves any more in this process. */
  | { kind: "suspended" }
  /** The run has ended: every call throws. */
  | { kind: "closed"; reason: () => Error };

interface RunContextOptions extends ExecutionOptions {
  steps: readonly StepRecord[];
  /** Called when such a run would start a step, and none is in flight. */
  onReturnable: () => void;
  /** Called when only sleeps, waits and calls are left: the run can be suspended until the first of them ends. */
  onSuspendable: (open: Suspension) => void;
}

/** The target's `ctx`, and the function that closes it. */
export function createRunContext(options: RunContextOptions) {
  const { run, session, clock, signal } = options;
  const { attempt } = run;
  const stored = new Map(options.steps.map((step) => [step.name, step]));
  const takeName = createNames();
  const openSleeps = new Map<string, OpenSleep & { stop: () => void }>();
  const completions = createCompletions({ stored: options.steps, onIdle: considerSuspending });
  const reached = options.steps.filter((step) => step.finishedAt !== null || step.attempt === attempt);
  const repeats = createRepeatFilter({
    stored: run.isResumed ? reached.map(({ name }) => name) : [],
    write: (entries) => session.note({ entries }),
  });
  const rules: ContextRules = {
    isOpen,
    begin,
    completeStored,
    completeElapsed,
    whileInFlight,
    considerSuspending,
  };
  const { openWaits, waitFor, waitForAny } = createEventWaits(options, rules);
  const { openCalls, children, call, start, warnUnawaited } = createChildCalls(options, rules);
  /** The steps that start in another worker. */
  const waiting: (() => void)[] = [];
  let state: ContextState = { kind: "open" };
  let inFlight = 0;
  let activity = 0;
  const execution = {};
  const storedBytes = countStoredBytes(options.steps);
  const tries = createStepTries({
    ...options,
    execution,
    storedBytes,
    completeOrNever,
    requireOpen,
    untilReturned,
    whileInFlight,
    waitUntil,
  });

  /**
   * Throws if the run has ended in this process, so that code that is still running has no effect. Returns `false` if
   * the call must never resolve, because the run sleeps.
   */
  function isOpen(): boolean {
    activity += 1;
    if (state.kind === "closed") throw state.reason();
    return state.kind === "open";
  }

  /** Never resolves if the run sleeps, or if a write has shown that it belongs to another worker. */
  async function requireOpen(isWritten = true): Promise<void> {
    if (!isOpen() || !isWritten) return await never();
  }

  /** While a step is in flight, the run is not suspended. */
  async function whileInFlight<T>(work: () => Promise<T>): Promise<T> {
    inFlight += 1;
    try {
      return await work();
    } finally {
      inFlight -= 1;
      considerReturning();
      considerSuspending();
    }
  }

  /** For a step that starts in another worker: throws when the run has returned to the queue. */
  async function untilReturned(): Promise<void> {
    const ended = new Promise<void>((resolve) => waiting.push(resolve));
    considerReturning();
    await ended;
    await requireOpen();
  }

  function considerReturning(): void {
    if (state.kind === "open" && waiting.length > 0 && inFlight === 0) options.onReturnable();
  }

  /**
   * Begins a call. Of a stored name, it is the call of the earlier executions. Rejected in the function of a step: if
   * the step is stored, its function is not executed again, so the call would be left out, and later names would move.
   */
  function begin(call: string, name: unknown, kind: StepRecord["kind"]) {
    const outer = enclosingStep(execution);
    if (outer !== null)
      throw new FinalFailure(
        "StepInStep",
        `${call} was called by the function of step ${outer}, or by work that it has started. When the run continues, a completed step is not executed again, so the inner call would be left out. Call it after step ${outer}, with the result of that step, or call the inner function directly, without ctx.`,
      );
    const key = takeName(name, call);
    const known = findStored(stored, key, kind);
    repeats.reach(key);
    return { key, known, open: completions.begin(known) };
  }

  /** Resolves when the code may receive a stored completion. */
  async function completeOrNever(open: OpenCall): Promise<void> {
    await open.delivered();
    await requireOpen();
  }

  /**
   * Stores the number of a completion, then delivers it. `isRepeatable`: it completes in the same way if it is not
   * stored. So it is written later if no other call is open that could complete first.
   */
  async function completeElapsed(
    open: OpenCall,
    { record, at, entries, children, isRepeatable }: ElapsedCall,
  ): Promise<void> {
    await open.over(at);
    await requireOpen();
    const progress = { entries, steps: [{ ...record, sequence: open.number() }], ...(children && { children }) };
    if (isRepeatable && completions.countOpen() === 1) session.note(progress);
    else await requireOpen(await whileInFlight(() => session.write(progress)));
    await completeOrNever(open);
  }

  /** The run can be suspended in the meantime. A step also stops waiting when the run has ended. */
  async function waitUntil(record: StepRecord, until: number): Promise<void> {
    if (until <= clock.now()) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        if (state.kind === "open" && openSleeps.delete(record.name)) resolve();
      };
      const stopTimer = startTimer(clock, wake, until - clock.now());
      const stop = () => {
        stopTimer();
        if (state.kind === "closed" && record.kind === "step") resolve();
      };
      openSleeps.set(record.name, { record, until, stop });
      considerSuspending();
    });
  }

  async function step(name: string, fn: StepFunction, call: StepCall = {}): Promise<Json> {
    if (!isOpen()) return await never();
    if (typeof fn !== "function")
      throw new TypeError(`ctx.step(${JSON.stringify(name)}, …) needs a function as its last argument.`);
    const { key, known, open } = begin(`ctx.step(${JSON.stringify(name)}, …)`, name, "step");
    if (!known || known.finishedAt === null)
      return await tries.make({ key, fn, policy: call.policy ?? noPolicy, call, open }, known);
    session.note({ entries: [{ at: clock.now(), kind: "step_reused", attempt, name: key }] });
    await completeStored(open, known, known.finishedAt);
    return cloneJson(known.result);
  }
  /** `ctx.step` with or without options. */
  async function callWithOptions(name: string, [first, second]: readonly unknown[]): Promise<Json> {
    const [given, fn] = second === undefined ? [undefined, first] : [first, second];
    const policy = readStepOptions(given, `ctx.step(${JSON.stringify(name)}, …)`);
    return await step(name, fn as StepFunction, { policy });
  }

  async function sleep(name: string, duration: unknown): Promise<void> {
    if (!isOpen()) return await never();
    const call = `ctx.sleep(${JSON.stringify(name)}, ${showOption(duration)})`;
    const ms = parseDuration(duration);
    if (ms === null)
      throw new TypeError(
        `${call}: a duration must be a number of milliseconds or a string such as "10s", "5m", "1.5h" or "7d", at most "36525d" (100 years).`,
      );
    return await pauseUntil(call, name, () => clock.now() + ms);
  }

  async function sleepUntil(name: string, time: unknown): Promise<void> {
    if (!isOpen()) return await never();
    const call = `ctx.sleepUntil(${JSON.stringify(name)}, ${showOption(time)})`;
    const at = readTime(time);
    if (at === null)
      throw new TypeError(
        `${call}: the time must be a Date or an ISO 8601 time with an offset, such as "2026-01-31T12:00:00Z".`,
      );
    return await pauseUntil(call, name, () => at);
  }

  /** `untilOf`: the end of a sleep that begins now. A time in the past is over at once. */
  async function pauseUntil(call: string, name: string, untilOf: () => number): Promise<void> {
    const { key, known, open } = begin(call, name, "sleep");
    if (known && known.finishedAt !== null) return await completeStored(open, known, known.finishedAt);
    const record = known ?? beginSleep(key, Math.max(clock.now(), untilOf()));
    const until = record.until ?? record.startedAt;
    await waitUntil(record, until);
    const entry: NewTimelineEntry = { at: clock.now(), kind: "sleep_finished", attempt, name: key };
    await completeElapsed(open, {
      record: { ...record, finishedAt: until },
      at: until,
      entries: [entry],
      isRepeatable: true,
    });
  }

  function beginSleep(key: string, until: number): StepRecord {
    const startedAt = clock.now();
    const record: StepRecord = {
      name: key,
      kind: "sleep",
      attempt,
      startedAt,
      finishedAt: null,
      until,
      result: null,
      sequence: null,
    };
    session.note({ entries: [{ at: startedAt, kind: "sleep_started", attempt, name: key, until }], steps: [record] });
    return record;
  }

  /** The completion of an earlier execution. A person's decision has no number until the code receives it. */
  async function completeStored(open: OpenCall, record: StepRecord, at: number): Promise<void> {
    if (open.sequence !== null) return await completeOrNever(open);
    await completeElapsed(open, { record, at, entries: [], isRepeatable: true });
  }

  /**
   * Suspends the run until a person decides, or until the wait times out. The decision is in the store when the run
   * continues.
   */
  async function approve(name: string, request: ApprovalRequest, timeoutMs: number): Promise<ApprovalDecision> {
    if (!isOpen()) return await never();
    const { key, known, open } = begin(`approve(${JSON.stringify(name)})`, name, "approval");
    if (known && known.finishedAt !== null) {
      await completeStored(open, known, known.finishedAt);
      return readDecision(known.result);
    }
    const record = known ?? beginApproval(key, request, timeoutMs);
    const until = record.until ?? record.startedAt;
    await waitUntil(record, until);
    const decision = { isApproved: false, reason: "The approval timed out.", by: null };
    const result = { ...(isObject(record.result) ? record.result : {}), decision };
    await completeElapsed(open, {
      record: { ...record, finishedAt: until, result },
      at: until,
      entries: [{ at: clock.now(), kind: "approval_decided", attempt, name: key, data: decision }],
      isRepeatable: false,
    });
    return decision;
  }

  /** Stored only when the run is suspended: no decision is possible while the run is active. */
  function beginApproval(key: string, request: ApprovalRequest, timeoutMs: number): StepRecord {
    const startedAt = clock.now();
    const until = startedAt + timeoutMs;
    session.note({
      entries: [{ at: startedAt, kind: "approval_requested", attempt, name: key, until, data: { ...request } }],
    });
    const result = { request: { ...request } };
    storedBytes.count(key, result);
    return { name: key, kind: "approval", attempt, startedAt, finishedAt: null, until, result, sequence: null };
  }

  function isSuspendable(): boolean {
    return openSleeps.size + openWaits.length + openCalls.length > 0 && inFlight === 0 && !completions.isBusy();
  }

  /** Code between two steps has two turns of the event loop to start the next step. */
  function considerSuspending(): void {
    if (!isSuspendable()) return;
    const before = activity;
    setImmediate(() =>
      setImmediate(() => {
        if (state.kind !== "open" || !isSuspendable()) return;
        if (activity !== before) return considerSuspending();
        options.onSuspendable({ sleeps: [...openSleeps.values()], waits: openWaits, calls: openCalls });
      }),
    );
  }

  const log = createRunLog({ attempt, now: () => clock.now(), note: repeats.note });

  return {
    ctx: {
      run: { id: run.id, attempt, trigger: run.trigger, deliveryId: run.deliveryId },
      step: (name: string, ...rest: unknown[]) => callWithOptions(name, rest),
      sleep,
      sleepUntil,
      waitFor,
      waitForAny,
      call,
      start,
      log,
      signal,
    },
    /** For agents only. */
    agent: { step, approve, publishLive: session.publishLive },
    /** The values of its child runs that this execution has. */
    children,
    warnUnawaited,
    /** Flushes the log entries since the last step, before the last write. */
    flushLog: () => repeats.flush(),
    close(next: ContextState): void {
      state = next;
      for (const { stop } of openSleeps.values()) stop();
      if (next.kind !== "closed") return;
      completions.close();
      for (const end of waiting) end();
    },
  };
}

function readDecision(result: Json): ApprovalDecision {
  return approvalStepSchema.parse(result).decision ?? { isApproved: false, reason: null, by: null };
}
