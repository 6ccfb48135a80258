import { AsyncLocalStorage } from "node:async_hooks";
import type { Json } from "../contract/json.ts";
import type { ManifestWorkflow } from "../contract/project/manifest.ts";
import { findBuilt } from "../contract/project/target.ts";
import type { RunError, RunStatus } from "../contract/run.ts";
import { isObject } from "../shared/schema/json-schema.ts";
import { hideInText } from "../domain/privacy/hide-values.ts";
import { readEventResult } from "../domain/runs/event-waits.ts";
import { originOfChild, type RunOrigin, scrubError } from "../domain/privacy/mask-run.ts";
import { type Clock, elapsedMs, startTimer } from "../ports/clock.ts";
import { type Logger, runLogFields, type RunLogFields } from "../ports/logger.ts";
import type { LoadedWorkflow, ProjectCode } from "../ports/project.ts";
import type { AssignedRun, ProgressWriter } from "../ports/run-channel.ts";
import type { StepRecord } from "../ports/store/engine-store.ts";
import type { RunTrace } from "../ports/tracing.ts";
import { loadAgent } from "./agent/run-agent.ts";
import { type Outcome, planRunEnd } from "./plan-run-end.ts";
import { createRunContext } from "./run-context.ts";
import { FinalFailure, type Interrupt, interruptReason, RunEnded } from "./run-errors.ts";
import { runOnFailure } from "./run-on-failure.ts";
import { createRunSession } from "./run-session.ts";
import { describeReplacement, parseValue, prepareInput, toJson } from "./run-values.ts";

/** A slot for running code, or the wait for one. */
export interface Slot {
  /** Resolves when the code can start; `null` means immediately. */
  readonly free: Promise<void> | null;
  hasBegun(): boolean;
  /** Called when the code has ended or will not start. */
  release(): void;
}

export interface ExecuteRunOptions {
  progress: ProgressWriter;
  code: ProjectCode;
  clock: Clock;
  logger: Logger;
  random: () => number;
  /** Slots for running code. Absent: code starts immediately. */
  slots?: { enter(): Slot };
  /** Maximum wait for the next try of a step during which a run keeps its worker. Default: 5 seconds. */
  maxHeldWaitMs?: number;
  /** Starts the span of this execution. Absent: no tracing. Never rejects. */
  traceRun?: ((run: AssignedRun, hide: (text: string) => string) => Promise<RunTrace>) | undefined;
  /** Called when the code of a run starts for the first time. */
  onRunStarted?: (run: AssignedRun) => void;
}

export interface RunEnding {
  /** `null` if another worker has the run. */
  status: RunStatus | null;
  error: RunError | null;
  durationMs: number;
}

/** One attempt in progress. */
export interface RunHandle {
  readonly run: AssignedRun;
  /**
   * The time at which the attempt times out, by the current clock. For an attempt that waits for a slot: the time if it
   * started now.
   */
  deadlineAt(): number;
  /** Whether its code has ended. It may still be running after an interrupt. */
  hasCodeEnded(): boolean;
  /** Milliseconds spent waiting for a slot; `null` once it has one. */
  waitedMs(): number | null;
  /** Resolves when the run has ended, waits, or belongs to another worker: its slot is free. Never rejects. */
  readonly ended: Promise<RunEnding>;
  /**
   * Resolves when the code has ended, too. After an interrupt, the code can outlast the run. The code of a sleeping run
   * never ends.
   */
  readonly settled: Promise<void>;
  interrupt(interrupt: Interrupt): void;
  /**
   * Starts no further step: the run returns to the queue when its steps in flight have ended. Code that is in no step
   * continues until it starts one. A run that waits for a slot returns at once.
   */
  returnAfterSteps(): void;
  /** Called after its lease was renewed until this time. */
  renewed(leaseUntil: number): void;
}

/** The timeout of a run whose workflow is not in this build, until it fails. */
const fallbackTimeoutMs = 60_000;

/** Executes one attempt of a claimed run. Completed steps are not executed again. */
export function executeRun(run: AssignedRun, options: ExecuteRunOptions): RunHandle {
  const { progress, clock, logger } = options;
  const code = loadForAllRuns(options.code);
  const workflow = findBuilt<ManifestWorkflow>(code.manifest, run.target) ?? null;
  const timeoutMs = workflow?.timeoutMs ?? fallbackTimeoutMs;
  const slot = options.slots?.enter() ?? null;
  const claimedAt = elapsedMs(clock);
  let startedAt = claimedAt;
  const abort = new AbortController();
  const first = Promise.withResolvers<Outcome>();
  const settled = Promise.withResolvers<void>();
  const session = createRunSession({ run, progress, clock, logger, onInterrupt: interrupt });
  /** Monotonic, as elapsedMs counts: unaffected by changes of the clock. */
  let deadline = startedAt + timeoutMs;
  let usedBeforeMs = 0;
  let isDecided = false;
  let hasCodeEnded = false;
  let isReturning = false;
  let recordedInput = run.input;
  let hiding: { input: Json; revision: number; hide: (text: string) => string } | null = null;

  function decide(outcome: Outcome): boolean {
    if (isDecided) return false;
    isDecided = true;
    first.resolve(outcome);
    return true;
  }

  function interrupt(cause: Interrupt): void {
    if (cause.kind === "lost") session.abandon();
    if (!decide({ kind: "interrupted", interrupt: cause })) return;
    const reason = interruptReason(cause);
    closeContext = { kind: "closed", reason: () => reason };
    context?.close(closeContext);
    abort.abort(reason);
  }

  let closeContext: Parameters<ReturnType<typeof createRunContext>["close"]>[0] | null = null;
  let context: ReturnType<typeof createRunContext> | null = null;
  let runTrace: RunTrace | null = null;

  async function runCode(steps: readonly StepRecord[]): Promise<Outcome> {
    context = createRunContext({
      run,
      steps,
      session,
      clock,
      random: options.random,
      maxHeldWaitMs: options.maxHeldWaitMs,
      signal: abort.signal,
      code,
      logger,
      hide,
      trace: runTrace,
      isReturning: () => isReturning,
      onReturnable: () => interrupt({ kind: "worker_shutdown" }),
      onSuspendable: (open) => {
        if (decide({ kind: "suspended", ...open })) context?.close({ kind: "suspended" });
      },
    });
    if (closeContext) context.close(closeContext);
    try {
      return { kind: "returned", output: await callTarget(context) };
    } catch (thrown) {
      return { kind: "threw", thrown };
    }
  }

  async function callTarget({ ctx, agent }: ReturnType<typeof createRunContext>): Promise<Json> {
    if (run.failureOf !== null)
      return await runOnFailure({ run, code, ctx, record: (input) => session.write({ input }) });
    const loaded =
      run.target.kind === "agent"
        ? await loadAgent(run, { ...options, code, context: { ...ctx, ...agent } })
        : await code.workflow(run.target.slug);
    if (!loaded) throw unknownTarget(run, code);
    const { input, record, isPartOfStored } = await prepareInput(run, loaded, code);
    recordedInput = record ?? run.input;
    if (record !== undefined && isPartOfStored) session.note({ input: record });
    else if (record !== undefined) await session.write({ input: record });
    // The run ended before its code started: there is nothing to stop.
    abort.signal.throwIfAborted();
    return checkOutput(loaded, await loaded.run(input, ctx));
  }

  async function conduct(): Promise<RunEnding> {
    if (slot?.free) {
      await Promise.race([slot.free, first.promise]);
      startedAt = elapsedMs(clock);
    }
    try {
      return await executeAttempt();
    } finally {
      slot?.release();
    }
  }

  async function executeAttempt(): Promise<RunEnding> {
    const { steps } = run;
    // Assigned while this process was paused: the run may belong to another worker by now.
    if (session.isOverdue()) await session.write({});
    if (options.traceRun) runTrace = await options.traceRun(run, (text) => hide(text));
    usedBeforeMs = usedMs(steps, run.attempt);
    const leftMs = Math.max(0, timeoutMs - usedBeforeMs);
    deadline = elapsedMs(clock) + leftMs;
    const stopTimer = startTimer(clock, () => interrupt({ kind: "timed_out", timeoutMs }), leftMs);
    const warnings = new Set<string>();
    const scope = {
      run: runLogFields(run),
      crash(error: unknown) {
        const isOurs = !isDecided;
        interrupt({ kind: "crashed", error });
        return isOurs;
      },
      warn(message: string) {
        if (warnings.has(message)) return;
        warnings.add(message);
        const entry = { at: clock.now(), kind: "log", attempt: run.attempt, level: "warn", message } as const;
        session.note({ entries: [entry] });
      },
    };
    if (isDecided) {
      hasCodeEnded = true;
      settled.resolve();
    } else {
      if (isFirstStart(run)) options.onRunStarted?.(run);
      void runToEnd(scope, steps);
    }
    const outcome = await first.promise;
    stopTimer();
    // Only the write is left: the next run can start.
    slot?.release();
    return await finish(outcome);
  }

  async function runToEnd(scope: RunScope, steps: readonly StepRecord[]): Promise<void> {
    const begin = () => runCode(steps);
    const outcome = await runInScope(scope, () => (runTrace ? runTrace.within(begin) : begin()));
    hasCodeEnded = true;
    if (decide(outcome)) context?.close({ kind: "closed", reason: () => new RunEnded() });
    settled.resolve();
  }

  async function finish(outcome: Outcome): Promise<RunEnding> {
    const end = planRunEnd(outcome, {
      run,
      workflow,
      clock,
      timeoutMs,
      usedMs: usedBeforeMs + (elapsedMs(clock) - startedAt),
      random: options.random,
      code,
    });
    if (outcome.kind === "returned") context?.warnUnawaited();
    context?.flushLog();
    const hasStored = (kind: StepRecord["kind"]) => run.steps.some((step) => step.kind === kind);
    const hasFamily = run.depth > 0 || hasStored("child") || (context?.children.values.length ?? 0) > 0;
    const status = end && (await session.end({ ...end, closesWaits: hasStored("event"), hasFamily }));
    session.abandon();
    const error =
      end && "error" in end.transition
        ? end.transition.error
        : (end?.entries.find(({ kind }) => kind === "attempt_failed")?.error ?? null);
    const shown = error && scrubError(error, { text: hide });
    runTrace?.end({ status, error: shown });
    return { status, error: shown, durationMs: elapsedMs(clock) - startedAt };
  }

  /** For terminals and traces. */
  function hide(text: string): string {
    const revision = context?.children.revision() ?? 0;
    if (hiding?.input !== recordedInput || hiding.revision !== revision)
      hiding = { input: recordedInput, revision, hide: hideInText(code.manifest, listOrigins) };
    return hiding.hide(text);
  }

  /** The values of the run, and those of its parents and children that it knows. */
  function listOrigins(): [RunOrigin, ...RunOrigin[]] {
    const { trigger, target, payload } = run;
    const headers = run.headers ?? run.request?.headers ?? null;
    const events = run.steps.flatMap(({ kind, result }) => (kind === "event" ? (readEventResult(result) ?? []) : []));
    const origin = { trigger, target, payload, input: recordedInput, headers, events };
    const parents = run.parents.map((parent) => ({ ...parent, headers: null }));
    return [origin, ...parents, ...(context?.children.values ?? []).map(originOfChild)];
  }

  const isWaiting = () => slot !== null && !slot.hasBegun();
  return {
    run,
    deadlineAt: () => clock.now() + (isWaiting() ? timeoutMs : deadline - elapsedMs(clock)),
    hasCodeEnded: () => hasCodeEnded,
    waitedMs: () => (isWaiting() ? elapsedMs(clock) - claimedAt : null),
    ended: conduct(),
    settled: settled.promise,
    interrupt,
    returnAfterSteps() {
      isReturning = true;
      if (isWaiting()) interrupt({ kind: "worker_shutdown" });
    },
    renewed: session.renewed,
  };
}

const isFirstStart = (run: AssignedRun) => run.attempt === 1 && !run.isResumed;

function unknownTarget(run: AssignedRun, code: ProjectCode): FinalFailure {
  return new FinalFailure(
    "UnknownTarget",
    `${run.target.kind === "agent" ? "Agent" : "Workflow"} ${run.target.slug} is not in this build (${code.manifest.version}). ${describeReplacement(code)}`,
  );
}

function checkOutput(workflow: LoadedWorkflow, returned: unknown): Json {
  const what = `The output of workflow ${workflow.slug}`;
  if (!workflow.output) return toJson(returned, what);
  return toJson(
    parseValue({
      schema: workflow.output,
      value: returned,
      name: "InvalidOutput",
      what: `${what} does not match its output schema`,
    }),
    what,
  );
}

/**
 * Time that this attempt had run before it was suspended the last time. Stored in the sleeps, and in the steps that
 * wait for their next try.
 */
function usedMs(steps: readonly StepRecord[], attempt: number): number {
  const times = steps
    .filter((step) => (step.kind !== "step" || step.finishedAt === null) && step.attempt === attempt)
    .map(({ result }) => readUsedMs(result));
  return Math.max(0, ...times);
}

function readUsedMs(result: Json): number {
  return isObject(result) && typeof result["usedMs"] === "number" ? result["usedMs"] : 0;
}

// ---- the attempt that is executing ----

/** The attempt that code belongs to, tracked through timers, callbacks and promises. */
interface RunScope {
  readonly run: RunLogFields;
  /** The code is being loaded. It is loaded once for all runs. */
  readonly isLoading?: boolean;
  /** Ends the attempt because of its code's behaviour. Returns `false` if it had already ended. */
  crash(error: unknown): boolean;
  /** Writes a warning to the timeline, once for each message. */
  warn(message: string): void;
}

const scopes = new AsyncLocalStorage<RunScope>();

/** Runs `fn` in the scope of this attempt, including everything that it starts. */
function runInScope<T>(scope: RunScope, fn: () => T): T {
  return scopes.run(scope, fn);
}

export function currentScope(): RunScope | null {
  return scopes.getStore() ?? null;
}

/** Modules are loaded once for all runs: what they change in the environment meanwhile is not a change by this run. */
function loadForAllRuns(code: ProjectCode): ProjectCode {
  return {
    ...code,
    workflow: (slug) => runWhileLoading(() => code.workflow(slug)),
    agent: (slug) => runWhileLoading(() => code.agent(slug)),
    trigger: (attachmentId) => runWhileLoading(() => code.trigger(attachmentId)),
  };
}

function runWhileLoading<T>(load: () => Promise<T>): Promise<T> {
  const scope = scopes.getStore();
  return scope ? scopes.run({ ...scope, isLoading: true }, load) : load();
}

/** The execution whose code is running; `null`: there is none, or its modules are being loaded. */
export function currentExecution(): object | null {
  const scope = scopes.getStore();
  return scope && !scope.isLoading ? scope : null;
}

/** Called when the code of a run waits for another run through the client of the SDK. */
export function reportWait(runId: string): void {
  scopes
    .getStore()
    ?.warn(
      `The code waits for run ${runId} with the client, and this run keeps its slot meanwhile. If all slots wait like this, no other run can start. Use ctx.call: it waits without a slot.`,
    );
}

/** Runs `fn` outside any run's scope, even if a run's code caused the call. */
export function runOutsideScopes<T>(fn: () => T): T {
  return scopes.exit(fn);
}
