import { errorKind } from "../../sdk/errors.ts";
import { readRetryAfter } from "../../sdk/retry-after.ts";
import type { Json } from "../contract/json.ts";
import type { RunError } from "../contract/run.ts";
import type { CodeExcerpt } from "../contract/timeline.ts";
import type { RetryHint } from "../domain/runs/plan-retry.ts";
import { formatInterval } from "../shared/format.ts";

/** The run was canceled. The reason of `ctx.signal`. */
class RunCanceled extends Error {
  override readonly name = "RunCanceled";
  constructor() {
    super("The run was canceled.");
  }
}

/** The attempt exceeded the workflow's timeout. The reason of `ctx.signal` and the error of the attempt. */
export class RunTimedOut extends Error {
  override readonly name = "RunTimedOut";
  constructor(timeoutMs: number) {
    super(
      `The attempt exceeded its timeout of ${formatInterval(timeoutMs)}. Raise \`timeout\` of the workflow, or do less work in one attempt.`,
    );
  }
}

/** The worker shuts down and the run continues in another one. The reason of `ctx.signal`. */
class WorkerShuttingDown extends Error {
  override readonly name = "WorkerShuttingDown";
  constructor() {
    super("The worker is shutting down. The run continues after its last completed step.");
  }
}

/** A try of a step exceeded the step's timeout. The reason of its signal and the error of the try. */
export class StepTimedOut extends Error {
  override readonly name = "StepTimedOut";
  constructor(step: string, timeoutMs: number) {
    super(`A try of step ${step} exceeded the step's timeout of ${formatInterval(timeoutMs)}.`);
  }
}

/** Another worker has the run now. The reason of `ctx.signal`. */
class RunTakenOver extends Error {
  override readonly name = "RunTakenOver";
  constructor() {
    super("Another worker executes this run now. Results of this worker are discarded.");
  }
}

/** The run has ended, and its code still uses its `ctx`. */
export class RunEnded extends Error {
  override readonly name = "RunEnded";
  constructor() {
    super("This run has ended; ctx can no longer be used.");
  }
}

/** The project's code called process.exit() or a similar function. */
export class ProcessExitCalled extends Error {
  override readonly name = "ProcessExitCalled";
  constructor(call: string) {
    super(
      `The code called ${call}. A worker process serves several runs, so only this attempt ends. Throw an error to fail a run, or return to complete it.`,
    );
  }
}

/** The project's code wanted to change what all runs of the process share. */
export class ProcessChangeRejected extends Error {
  override readonly name = "ProcessChangeRejected";
  readonly retryable = false;
  constructor(call: string, fix: string) {
    super(
      `The code called ${call}. Other runs use the same process, and later ones would break, so nothing was changed. ${fix}`,
    );
  }
}

/** A permanent failure: it is not retried. `errors` lists the issues by JSON Pointer. */
export class FinalFailure extends Error {
  override readonly name: string;
  readonly retryable = false;
  readonly errors: Json | undefined;

  constructor(name: string, message: string, options: { errors?: Json; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = name;
    this.errors = options.errors;
  }
}

/**
 * What an error says about the next try: none for errors with `retryable: false` or the name NonRetryableError, and the
 * time of a RetryAfterError.
 */
export function readRetryHint(thrown: unknown, now: number): RetryHint {
  if (typeof thrown !== "object" || thrown === null) return { isRetryable: true };
  return {
    isRetryable: readSafely(thrown, "retryable") !== false && readSafely(thrown, "name") !== "NonRetryableError",
    retryAt:
      readSafely(thrown, errorKind) === "retry_after" ? readRetryAfter(readSafely(thrown, "retryAfter"), now) : null,
  };
}

const maxMessageChars = 16 * 1024;
const maxStackChars = 64 * 1024;
const maxCauses = 8;

/** Converts a thrown value to the error of a run. Its causes are appended to the stack, as in Node. */
export function toRunError(thrown: unknown, mapStack: (stack: string) => string): RunError {
  if (!isErrorLike(thrown))
    return {
      name: "ThrownValue",
      message: cut(`The code threw a value that is not an error: ${describeValue(thrown)}`, maxMessageChars),
      stack: null,
    };
  return {
    name: describeName(thrown),
    message: cut(textOf(thrown, "message"), maxMessageChars),
    stack: cut(describeStack(thrown, mapStack), maxStackChars) || null,
  };
}

function describeStack(thrown: object, mapStack: (stack: string) => string): string {
  const parts = causesOf(thrown).map((cause) =>
    isErrorLike(cause) ? mapSafely(ownStack(cause), mapStack) : describeValue(cause),
  );
  return parts.join("\ncaused by ");
}

/** The thrown value and its causes, outermost first. */
function causesOf(thrown: unknown): unknown[] {
  const chain: unknown[] = [];
  let current = thrown;
  while (current !== undefined && current !== null && !chain.includes(current) && chain.length < maxCauses) {
    chain.push(current);
    current = isErrorLike(current) ? readSafely(current, "cause") : undefined;
  }
  return chain;
}

/** The line of the project's code that threw the error or, if there is none, its cause. */
export function excerptOfError(thrown: unknown, excerptOf: (stack: string) => CodeExcerpt | null): CodeExcerpt | null {
  for (const cause of causesOf(thrown)) {
    const excerpt = isErrorLike(cause) ? excerptSafely(cut(ownStack(cause), maxStackChars), excerptOf) : null;
    if (excerpt) return excerpt;
  }
  return null;
}

/** Details of an error for the timeline: the line of the project's code, and the issues of a value. */
export function detailsOfError(
  thrown: unknown,
  excerptOf: (stack: string) => CodeExcerpt | null,
): { source?: CodeExcerpt; errors?: Json } {
  const source = excerptOfError(thrown, excerptOf);
  const errors = thrown instanceof FinalFailure ? thrown.errors : undefined;
  return { ...(source ? { source } : {}), ...(errors === undefined ? {} : { errors }) };
}

function excerptSafely(stack: string, excerptOf: (stack: string) => CodeExcerpt | null): CodeExcerpt | null {
  try {
    return excerptOf(stack);
  } catch {
    return null;
  }
}

function ownStack(error: object): string {
  return textOf(error, "stack") || `${describeName(error)}: ${textOf(error, "message")}`;
}

/** Falls back to the stack without source maps. */
function mapSafely(stack: string, mapStack: (stack: string) => string): string {
  try {
    return mapStack(stack);
  } catch {
    return stack;
  }
}

function isErrorLike(value: unknown): value is object {
  return (
    value instanceof Error ||
    (typeof value === "object" && value !== null && typeof readSafely(value, "message") === "string")
  );
}

function describeName(error: object): string {
  return cut(textOf(error, "name") || "Error", 200);
}

function textOf(error: object, key: string): string {
  const value = readSafely(error, key);
  return typeof value === "string" ? value : "";
}

function describeValue(value: unknown): string {
  try {
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Errors come from the project's code: even a getter can throw. */
function readSafely(value: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}… (cut, ${text.length} characters)`;
}

/** Why an attempt ends before its code. */
export type Interrupt =
  | { kind: "canceled" }
  | { kind: "timed_out"; timeoutMs: number }
  /** The worker shuts down: the run returns to the queue with the same attempt number. */
  | { kind: "worker_shutdown" }
  /** The run was claimed ahead, but no slot becomes free: its code has not started. */
  | { kind: "slot_timeout" }
  /** Another worker has the run: this worker must not write. */
  | { kind: "lost" }
  /** Its code would have crashed or exited the process. */
  | { kind: "crashed"; error: unknown };

/** The reason that the code gets from `ctx.signal`, and from every later call of `ctx`. */
export function interruptReason(interrupt: Interrupt): Error {
  switch (interrupt.kind) {
    case "canceled":
      return new RunCanceled();
    case "timed_out":
      return new RunTimedOut(interrupt.timeoutMs);
    case "worker_shutdown":
    case "slot_timeout":
      return new WorkerShuttingDown();
    case "lost":
      return new RunTakenOver();
    case "crashed":
      return interrupt.error instanceof ProcessExitCalled ? interrupt.error : new RunEnded();
  }
}

/** A call of `ctx` that the compiler rejects as well. Another attempt would fail in the same way. */
export const wrongCall = (message: string): TypeError => Object.assign(new TypeError(message), { retryable: false });
