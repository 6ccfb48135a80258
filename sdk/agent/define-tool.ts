import { checkFunction, checkOptions, checkSchema } from "../check-shape.ts";
import type { Duration, ToolLike } from "../definition.ts";
import type { Schema, SchemaOutput } from "../schema.ts";

/** The second argument of a tool's `execute`. */
export interface ToolCallContext {
  /** The id that the model gave this call. */
  readonly toolCallId: string;
  /** The same in every attempt of this call, and different for every other call. Pass it to the APIs that you call. */
  readonly idempotencyKey: string;
  /** Aborted when the run is canceled, exceeds its `timeout`, or the worker shuts down. */
  readonly abortSignal: AbortSignal;
}

/** Options of `defineTool`. */
export interface ToolOptions<Input extends Schema, Result> {
  /** Explains to the model what the tool does and when to use it. */
  description: string;
  /** Schema of the arguments. A call whose arguments do not parse is not executed; the model gets the reason. */
  inputSchema: Input;
  /**
   * Executes the call. The return value is stored as JSON and sent to the model. The message of an exception is sent to
   * the model, too.
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
 * TypeError if `inputSchema` is not a Zod schema or `execute` is not a function.
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
  checkSchema(options.inputSchema, "inputSchema", "defineTool");
  checkFunction(options.execute, "execute", "defineTool", "async execute(input) { … }");
  return Object.freeze({ ...options });
}
