import { checkFunction, checkOptions, checkSchema } from "../check-shape.ts";
import type { Duration, ToolLike } from "../definition.ts";
import type { Schema, SchemaOutput } from "../schema.ts";

/** What a tool gets beside its arguments. */
export interface ToolCallContext {
  /** The name that the model gave this call. */
  readonly toolCallId: string;
  /** The same for this call in every attempt, and for no other: hand it to whatever the tool calls. */
  readonly idempotencyKey: string;
  /** Aborted when the run is canceled, is over its `timeout`, or the machine is going down. */
  readonly abortSignal: AbortSignal;
}

export interface ToolOptions<Input extends Schema, Result> {
  /** Tells the model what the tool does, and when to use it. */
  description: string;
  /** The arguments. What a model sends that does not parse is not executed: the model is told why. */
  inputSchema: Input;
  /**
   * Does the work. What it returns is stored as JSON and told to the model; what it throws is told to the model as
   * well.
   */
  execute(input: SchemaOutput<Input>, context: ToolCallContext): Result | Promise<Result>;
  /** Whether a person must approve each call before it is executed, or which calls. */
  needsApproval?: boolean | ((input: SchemaOutput<Input>) => boolean | Promise<boolean>);
  /** How long a call may wait for its approval, e.g. `"7d"`; then it is refused. `"30d"` unless told. */
  approvalTimeout?: Duration;
}

/** A tool of an agent. */
export interface Tool extends ToolLike {
  readonly description: string;
}

/**
 * Makes a tool for an agent: a step of its run, with arguments that a schema guards. Throws a TypeError when something
 * does not have the shape that it must have.
 *
 * @example
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
