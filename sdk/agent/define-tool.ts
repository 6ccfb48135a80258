import { checkFunction, checkNames, checkOptions, checkSchema } from "../check-shape.ts";
import type { ToolLike } from "../definition.ts";
import type { Duration } from "../duration.ts";
import { readStepOptions } from "../retry-options.ts";
import type { Schema, SchemaOutput } from "../schema.ts";
import type { StepOptions } from "../workflow/context.ts";

/** The second argument of a tool's `execute`. */
export interface ToolCallContext {
  /** The id that the model gave this call. */
  readonly toolCallId: string;
  /** The same in every attempt of this call, and different for every other call. Pass it to the APIs that you call. */
  readonly idempotencyKey: string;
  /** Aborted when the run is canceled, exceeds its `timeout`, or the worker shuts down, and at the call's `timeout`. */
  readonly abortSignal: AbortSignal;
}

/**
 * Options of `defineTool`. With `retries`, a call that fails is tried again before the model gets its error. `retries`,
 * `timeout` and the delays work as those of `ctx.step` in a workflow.
 */
export interface ToolOptions<Input extends Schema, Result> extends StepOptions {
  /** Explains to the model what the tool does and when to use it. */
  description: string;
  /** Schema of the arguments. A call whose arguments do not parse is not executed; the model gets the reason. */
  inputSchema: Input;
  /**
   * Executes the call. The return value is stored as JSON and sent to the model. The message of an exception is sent to
   * the model, too, after the last try.
   */
  execute(input: SchemaOutput<Input>, context: ToolCallContext): Result | Promise<Result>;
  /** Whether a person must approve a call before it is executed: always, or by its arguments. Default: `false`. */
  needsApproval?: boolean | ((input: SchemaOutput<Input>) => boolean | Promise<boolean>);
  /** How long a call waits for approval, e.g. `"7d"`. A call not approved in time is denied. Default: `"30d"`. */
  approvalTimeout?: Duration;
}

/** A tool of an agent. */
export interface Tool extends ToolLike {
  readonly description: string;
}

/**
 * Defines a tool of an agent. Each call is a durable step of the run, and a schema checks its arguments. Throws a
 * TypeError if `inputSchema` is not a Zod schema, `execute` is not a function, or an option is invalid.
 *
 * @example
 *   import { defineTool } from "signalbox/agent";
 *   import { z } from "zod";
 *   import { payments } from "../lib/payments.js";
 *
 *   const refund = defineTool({
 *     description: "Pays an order back",
 *     inputSchema: z.object({ order: z.string(), cents: z.int() }),
 *     needsApproval: ({ cents }) => cents > 5_000,
 *     execute: ({ order, cents }, { idempotencyKey }) => payments.refund({ order, cents, idempotencyKey }),
 *   });
 */
export function defineTool<Input extends Schema, Result>(options: ToolOptions<Input, Result>): Tool {
  checkOptions(options, "defineTool", "defineTool({ description, inputSchema, execute })");
  checkNames(options, "defineTool", [
    "description",
    "inputSchema",
    "execute",
    "needsApproval",
    "approvalTimeout",
    "retries",
    "backoff",
    "initialDelay",
    "maxDelay",
    "timeout",
  ]);
  checkSchema(options.inputSchema, "inputSchema", "defineTool");
  checkFunction(options.execute, "execute", "defineTool", "async execute(input) { … }");
  const { retries, backoff, initialDelay, maxDelay, timeout } = options;
  const policy = readStepOptions({ retries, backoff, initialDelay, maxDelay, timeout }, "defineTool");
  return Object.freeze({ ...options, policy });
}
