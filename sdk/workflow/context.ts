import type { Duration } from "../definition.ts";

/** What `run(input, ctx)` gets beside its input: the run it belongs to, and the means to make it durable. */
export interface WorkflowContext {
  readonly run: RunInfo;
  /**
   * Does one piece of work and stores its result. After a retry, a sleep or a crash `run` begins anew from its first
   * line; a step that had finished is then not executed again, but gives its stored result. A step that throws fails
   * the attempt, unless you catch it.
   *
   * The result must be JSON (plain objects, arrays, strings, finite numbers, booleans, null), and is given back as JSON
   * makes it: a Date becomes its ISO text, a field that is `undefined` or a function is left out, and a result that is
   * one of these comes back as `null`. What JSON cannot carry (a bigint, a cycle) fails the run.
   *
   * `name` is 1 to 200 characters and tells steps apart: in a loop put something into it that stays the same, such as
   * an id. The second use of a name is called `name#2`. A step may be cut off between its effect and the storing of its
   * result and is then executed again: hand `idempotencyKey` to whatever you call.
   *
   * @example
   *   const receipt = await ctx.step("charge", ({ idempotencyKey }) => payments.charge({ amount, idempotencyKey }));
   */
  step<T>(name: string, fn: (step: StepContext) => T | Promise<T>): Promise<T>;
  /**
   * Waits, for seconds or for weeks, without holding a worker: the run is put aside as `waiting` and survives restarts.
   * Its time does not count towards `timeout`. `name` as in `step`. Throws a TypeError for what is not a duration.
   *
   * @example
   *   await ctx.sleep("cool-off", "3d");
   */
  sleep(name: string, duration: Duration): Promise<void>;
  /** Writes to the run's timeline. */
  readonly log: RunLog;
  /**
   * Aborted when the run is canceled, the attempt is over its `timeout`, or the machine is going down. Hand it to
   * `fetch` and the like.
   *
   * @example
   *   await fetch(url, { signal: ctx.signal });
   */
  readonly signal: AbortSignal;
}

/** Which run this is. */
export interface RunInfo {
  /** `run_…`; the same in every attempt. */
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Slug of the trigger that started the run; `null` when it was started without one. */
  readonly trigger: string | null;
  /** `dlv_…` of the webhook that started the run; `null` when none did. */
  readonly deliveryId: string | null;
}

export interface StepContext {
  /** `<run id>:<step name>`: the same in every attempt, and in no other step. */
  readonly idempotencyKey: string;
  /** The run's signal, see `ctx.signal`. */
  readonly signal: AbortSignal;
}

/**
 * Entries of the run's timeline. `data` is any JSON; a message over 16 KiB or data over 64 KiB is cut. Never throws.
 *
 * @example
 *   ctx.log.info("Mail sent", { to: input.to });
 */
export interface RunLog {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}
