/**
 * Marks errors of the SDK, so that they are recognised by their shape: a project's bundle and Signalbox have separate
 * copies of the classes.
 */
export const errorKind: unique symbol = Symbol.for("signalbox.error") as never;

/**
 * Throw it if another try would fail in the same way: an invalid card, a missing record. A step that throws it is not
 * tried again. If your code does not catch it, the run fails at once, even if it has attempts left. Any error with the
 * property `retryable: false` has the same effect.
 *
 * @example
 *   import { NonRetryableError } from "signalbox/workflow";
 *
 *   if (response.status === 404) throw new NonRetryableError(`There is no order ${order}`);
 */
export class NonRetryableError extends Error {
  override readonly name: string = "NonRetryableError";
  readonly retryable = false;
}

/**
 * Throw it to set the time of the next try of a step or, outside of a step with its own `retries`, of the next attempt
 * of the run. It replaces the delay of the retry policy, and the number of retries stays the same.
 *
 * `retryAfter` is a number of seconds, a Date, a duration with a unit (`"30s"`), or the value of a `Retry-After`
 * header. Without a usable value (`null`, any other text), the delay of the policy applies. A time more than 30 days
 * ahead counts as 30 days.
 *
 * @example
 *   import { RetryAfterError } from "signalbox/workflow";
 *
 *   if (response.status === 429)
 *     throw new RetryAfterError("The shop limits our requests", response.headers.get("retry-after"));
 */
export class RetryAfterError extends Error {
  override readonly name: string = "RetryAfterError";
  readonly [errorKind] = "retry_after";
  readonly retryAfter: number | Date | string | null;

  constructor(message: string, retryAfter: number | Date | string | null | undefined, options?: { cause?: unknown }) {
    super(message, options);
    this.retryAfter = retryAfter ?? null;
  }
}

/**
 * `ctx.step` throws it if a step with its own `retries` has failed permanently. `name`, `message` and `stack` are those
 * of the error of the last try. It is stored: when `run` executes again in the same attempt, for example after a sleep,
 * the step throws it again without being executed.
 *
 * Catch it to continue without the step. Otherwise the run fails at once: the step has used its retries.
 *
 * @example
 *   import { StepError } from "signalbox/workflow";
 *
 *   try {
 *     await ctx.step("charge", { retries: 4 }, ({ idempotencyKey }) => payments.charge({ amount, idempotencyKey }));
 *   } catch (error) {
 *     if (!(error instanceof StepError)) throw error;
 *     await ctx.step("cancel order", () => orders.cancel(input.order, error.message));
 *   }
 */
export class StepError extends Error {
  override readonly name: string;
  readonly [errorKind] = "step";
  /** Another attempt of the run would repeat all tries of the step. Throw another error to have one. */
  readonly retryable = false;
  /** Name of the step. */
  readonly step: string;
  /** Number of tries in this attempt of the run. */
  readonly tries: number;

  constructor(failure: {
    step: string;
    tries: number;
    error: { name: string; message: string; stack: string | null };
  }) {
    super(failure.error.message);
    this.name = failure.error.name;
    this.stack = failure.error.stack ?? `${failure.error.name}: ${failure.error.message}`;
    this.step = failure.step;
    this.tries = failure.tries;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && errorKind in value && value[errorKind] === "step";
  }
}

/**
 * `ctx.call` throws it if the child run fails, is canceled or times out, or if the `timeout` of the call is over. Catch
 * it to continue without the result. Otherwise the run fails at once: another attempt would get the same result.
 *
 * `error` is that of the child run. The message does not contain it, because the child can have sensitive values that
 * its parent does not have.
 *
 * @example
 *   import { ChildRunError } from "signalbox/workflow";
 *
 *   try {
 *     await ctx.call("charge", chargeCard, { amount: input.amount });
 *   } catch (error) {
 *     if (!(error instanceof ChildRunError)) throw error;
 *     await ctx.step("cancel order", () => orders.cancel(input.order, error.status));
 *   }
 */
export class ChildRunError extends Error {
  override readonly name: string = "ChildRunError";
  readonly [errorKind] = "child";
  readonly retryable = false;
  /** Id of the child run, `run_…`. */
  readonly runId: string;
  /** How it ended. `timed_out` with `error: null`: the `timeout` of the call is over. */
  readonly status: "failed" | "canceled" | "timed_out";
  /** The error of its last attempt; `null`: it has none. */
  readonly error: { readonly name: string; readonly message: string } | null;

  constructor(failure: {
    /** Slug of the workflow or agent. */
    target: string;
    runId: string;
    status: "failed" | "canceled" | "timed_out";
    error: { name: string; message: string } | null;
  }) {
    const ended = { failed: "failed", canceled: "was canceled", timed_out: "timed out" }[failure.status];
    super(
      failure.status === "timed_out" && failure.error === null
        ? `The call of ${failure.target} timed out before its run ${failure.runId} ended.`
        : `The child run ${failure.runId} of ${failure.target} ${ended}.${describeFirst(failure.error)}`,
    );
    this.runId = failure.runId;
    this.status = failure.status;
    this.error = failure.error;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && errorKind in value && value[errorKind] === "child";
  }
}

/** If the child has failed because of a child of its own, and so on: the run that failed first. */
function describeFirst(error: { name: string; message: string } | null): string {
  const first = error?.name === "ChildRunError" ? error.message.match(/\brun_[0-9A-Z]{26}\b/g)?.at(-1) : undefined;
  return first === undefined ? "" : ` The first failure is that of ${first}.`;
}
