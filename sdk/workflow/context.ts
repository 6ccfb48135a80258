import type { Duration } from "../duration.ts";
import type { CallOptions, ChildInput, ChildOutput, ChildTarget, StartOptions } from "./children.ts";
import type { AwaitedEvent, EventSource, WaitOptions, WaitTimes } from "./events.ts";
import type { Jsonify } from "../jsonify.ts";

/** The second argument of `run(input, ctx)`: information about the run, and durable steps, sleeps and logs. */
export interface WorkflowContext {
  readonly run: RunInfo;
  /**
   * Executes a function and stores its result. After a retry, a sleep or a crash, `run` starts again from its first
   * line. A completed step is not executed again; it returns its stored result. A step that throws fails the attempt of
   * the run, unless you catch the error. A failure that you caught is thrown again after a sleep or a crash, and the
   * next attempt executes the step again. `fn` cannot call `ctx.step` or `ctx.sleep`.
   *
   * The result is stored as JSON, and `step` returns it after a JSON round trip. Its type describes that: a Date is an
   * ISO string, and fields that are `undefined` or functions are left out. A result that is itself `undefined` or a
   * function becomes `null`. A value that JSON cannot represent (a bigint, a cycle), or of more than 16 MB, fails the
   * step at once, with the path of the value.
   *
   * `name` has 1 to 200 characters and identifies the step. In a loop, include a stable value such as an id. The second
   * step with the same name is stored as `name#2`. A crash between a step's side effect and the storing of its result
   * executes the step again: pass `idempotencyKey` to every API that you call.
   *
   * @example
   *   const receipt = await ctx.step("charge", ({ idempotencyKey }) => payments.charge({ amount, idempotencyKey }));
   */
  step<T>(name: string, fn: (step: StepContext) => T | Promise<T>): Promise<Jsonify<T>>;
  /**
   * The same with `retries` and a `timeout` of the step's own. They do not use up the attempts of the run. Tries and
   * their errors are stored, so they also count after a crash. While the run waits more than 5 seconds for the next try
   * and no other step is in progress, it needs no worker.
   *
   * A step that has no retries left throws a StepError. If you do not catch it, the run fails, even if it has attempts
   * left. Throws a TypeError if an option is invalid.
   *
   * @example
   *   const receipt = await ctx.step("charge", { retries: 4, timeout: "10s" }, ({ idempotencyKey, signal }) =>
   *     payments.charge({ amount, idempotencyKey, signal }),
   *   );
   */
  step<T>(name: string, options: StepOptions, fn: (step: StepContext) => T | Promise<T>): Promise<Jsonify<T>>;
  /**
   * Pauses the run for seconds or weeks without occupying a worker. The run has the status `waiting` and survives
   * restarts. Sleeping does not count towards `timeout`. `name` follows the rules of `step`. Throws a TypeError if
   * `duration` is not a duration.
   *
   * @example
   *   await ctx.sleep("cool-off", "3d");
   */
  sleep(name: string, duration: Duration): Promise<void>;
  /**
   * The same until a time: a Date, or an ISO 8601 time with an offset, such as `"2026-01-31T12:00:00+01:00"`. A time in
   * the past is over at once. Throws a TypeError if `time` is neither.
   *
   * @example
   *   await ctx.sleepUntil("contract ends", input.endsAt);
   */
  sleepUntil(name: string, time: Date | string): Promise<void>;
  /**
   * Waits for a webhook of a source, and returns its payload, or `null` at the timeout. The run has the status
   * `waiting` and occupies no worker. The event cannot be missed: a delivery that was received before the call, but
   * after the run was accepted, is returned at once. Of several, the first counts. A delivery wakes every run that
   * waits for it.
   *
   * The file of the source in `triggers/` need not have `.attach()`. A source of the workflow's own trigger is defined
   * in a file of its own, because the two files would import each other. `name` follows the rules of `step`. Throws a
   * TypeError if an option is invalid. Fails the run if no file in `triggers/` exports the source (`UnknownSource`), or
   * if a path is sensitive (`SensitiveMatch`).
   *
   * @example
   *   import shipped from "../triggers/order-shipped.js";
   *
   *   const event = await ctx.waitFor("shipped", shipped, { match: { "/order/id": input.orderId }, timeout: "14d" });
   *   if (event === null) await ctx.step("ask", () => askWarehouse(input.orderId));
   */
  waitFor<Payload>(name: string, source: EventSource<Payload>, options?: WaitOptions<Payload>): Promise<Payload | null>;
  /**
   * Waits for the first of several events. Returns its name and payload, or `null` at the timeout. The run waits for
   * none of the others afterwards. Otherwise like `waitFor`.
   *
   * @example
   *   const match = { "/order/id": input.orderId };
   *   const outcome = await ctx.waitForAny("outcome", {
   *     shipped: { source: shipped, match },
   *     canceled: { source: canceled, match },
   *   });
   *   if (outcome?.name === "canceled") return { isCanceled: true, reason: outcome.event.reason };
   */
  waitForAny<Payloads extends Record<string, unknown>>(
    name: string,
    events: { [Name in keyof Payloads]: AwaitedEvent<Payloads[Name]> },
    times?: WaitTimes,
  ): Promise<{ [Name in keyof Payloads]: { name: Name; event: Payloads[Name] } }[keyof Payloads] | null>;
  /**
   * Runs a workflow or an agent as a child run, waits for it, and returns its output. Meanwhile this run has the status
   * `waiting` and occupies no worker. The child run has its own attempts, limits and timeline. It starts exactly once,
   * on the build that executes this run. Many calls can wait at the same time, with `Promise.all`.
   *
   * If this run fails or is canceled, its open child runs are canceled. `name` follows the rules of `step`. Throws a
   * ChildRunError if the child run fails, is canceled or times out, and a TypeError if an option is invalid.
   *
   * Fails the run if the input does not match the schema of the workflow (`InvalidInput`), or if no file in
   * `workflows/` or `agents/` exports the target (`UnknownTarget`). The same holds if the child
   * would wait for a slot that this run keeps (`ChildWaitsForParent`), or if more than 20 runs call each other
   * (`ChildTooDeep`).
   *
   * For a workflow that calls itself, or two that call each other, the compiler needs the return type of `run`.
   *
   * @example
   *   import chargeCard from "./charge-card.js";
   *
   *   const receipt = await ctx.call("charge", chargeCard, { amount: input.amount }, { timeout: "1h" });
   *   const lines = await Promise.all(input.items.map((item) => ctx.call(`print ${item.id}`, printLine, item)));
   */
  call<Target extends ChildTarget>(
    name: string,
    target: Target,
    input: ChildInput<Target>,
    options?: CallOptions,
  ): Promise<ChildOutput<Target>>;
  /**
   * Starts a workflow or an agent as a child run, and returns its id without waiting for it. The child run continues
   * when this run has ended. Otherwise like `call`.
   *
   * @example
   *   const { id } = await ctx.start("notify", notifyCustomer, { to: input.email });
   */
  start<Target extends ChildTarget>(
    name: string,
    target: Target,
    input: ChildInput<Target>,
    options?: StartOptions,
  ): Promise<{ id: string }>;
  /** Writes to the run's timeline. */
  readonly log: RunLog;
  /**
   * Aborted when the run is canceled, the attempt exceeds its `timeout`, or the worker shuts down. Pass it to `fetch`
   * and other APIs that accept a signal.
   *
   * @example
   *   await fetch(url, { signal: ctx.signal });
   */
  readonly signal: AbortSignal;
}

/** Information about the run. */
export interface RunInfo {
  /** The run's id, `run_…`: the same in every attempt. */
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Slug of the trigger that started the run; `null` if the run was started without a trigger. */
  readonly trigger: string | null;
  /** Id of the delivery that started the run, `dlv_…`; `null` if no webhook started it. */
  readonly deliveryId: string | null;
}

/** Options of a step. */
export interface StepOptions {
  /**
   * Number of retries after the first try: an integer from 0 to 99. Each attempt of the run has all of them. Default:
   * none of its own, so an error that you do not catch fails the attempt of the run, which has its own `retries`.
   */
  retries?: number;
  /** `exponential` doubles the delay after each try; `fixed` keeps it. Needs `retries`. Default: `exponential`. */
  backoff?: "exponential" | "fixed";
  /** Delay before the second try. Needs `retries`. Default: `"1s"`. */
  initialDelay?: Duration;
  /** Maximum delay between two tries. Needs `retries`. Default: `"1h"`. */
  maxDelay?: Duration;
  /**
   * Maximum duration of one try, e.g. `"10s"`. Then its `signal` is aborted, and the try has failed with the error
   * `StepTimedOut`, even if its function continues. Default: only the `timeout` of the workflow applies.
   */
  timeout?: Duration;
}

/** The argument of a step's function. */
export interface StepContext {
  /** `<run id>:<step name>`: the same in every try and every attempt, and different for every other step. */
  readonly idempotencyKey: string;
  /** Aborted when `ctx.signal` is, and when this try exceeds the `timeout` of the step. */
  readonly signal: AbortSignal;
}

/**
 * Writes entries to the run's timeline. `data` is any JSON value. A message over 16 KiB or data over 64 KiB is cut off.
 * Never throws.
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
