import { checkFunction, checkNames, checkOptions, checkSchema, checkText } from "../check-shape.ts";
import { type SchemaLike, type WorkflowDefinition, definitionKind } from "../definition.ts";
import type { FailedRun } from "../failed-run.ts";
import type { DeepReadonly, Schema, SchemaInput, SchemaOutput } from "../schema.ts";
import { type WorkflowSettings, workflowSettings } from "../target-settings.ts";
import type { WorkflowContext } from "./context.ts";

/** Options of `defineWorkflow`. */
export interface WorkflowOptions<
  Slug extends string,
  Input extends Schema,
  Output extends Schema,
  Result,
> extends WorkflowSettings {
  /** Permanent id of the workflow: `[a-z0-9]+(-[a-z0-9]+)*`, at most 64 characters, e.g. `"welcome-email"`. */
  slug: Slug;
  /**
   * Schema of the run's input: structural Zod with built-in validators, because it is exported to JSON Schema. An input
   * that does not parse fails the run.
   */
  input: Input;
  /** Schema of the run's output. It parses the return value of `run`; a value that does not parse fails the run. */
  output?: Output;
  /**
   * The workflow's code, called with the parsed input. Its return value is stored as JSON. An exception fails the
   * attempt.
   */
  run(input: SchemaOutput<Input>, ctx: WorkflowContext): Result | Promise<Result>;
  /**
   * Called once for each run that has failed permanently: after its last attempt, or with an error that is not retried.
   * A canceled run has not failed. It executes as a run of its own, with durable steps, the workflow's `timeout`, and 5
   * attempts. If that run fails, `onFailure` is not called again.
   *
   * @example
   *   async onFailure(run, ctx) {
   *   await ctx.step("refund", ({ idempotencyKey }) => payments.refund({ order: run.input?.orderId, idempotencyKey }));
   *   },
   */
  onFailure?(run: FailedRun<SchemaOutput<Input>>, ctx: WorkflowContext): unknown;
}

/** A workflow that triggers can start. `Input` is the input type of its `input` schema, `Output` the output of a run. */
export interface Workflow<Slug extends string = string, Input = unknown, Output = unknown> extends WorkflowDefinition {
  readonly slug: Slug;
  /** Carries the types; the property does not exist at run time. */
  readonly "~types"?: { readonly input: Input; readonly output: Output };
}

/**
 * Defines a workflow: the default export of a file in `workflows/`. It runs in a worker process. Failed attempts are
 * retried, and after a crash the run continues after its last completed `ctx.step`. Throws a TypeError if `slug` is not
 * a string, `input` or `output` is not a Zod schema, or `run` or `onFailure` is not a function.
 *
 * @example
 *   // workflows/welcome-email.ts
 *   import { defineWorkflow } from "signalbox/workflow";
 *   import { z } from "zod";
 *   import { mail } from "../lib/mail.js";
 *
 *   export default defineWorkflow({
 *     slug: "welcome-email",
 *     input: z.object({ to: z.email(), displayName: z.string() }),
 *     output: z.object({ messageId: z.string() }),
 *     retries: { attempts: 3, backoff: "exponential" },
 *     timeout: "5m",
 *     async run(input, ctx) {
 *       const messageId = await ctx.step("send", ({ idempotencyKey }) => mail.send({ ...input, idempotencyKey }));
 *       return { messageId };
 *     },
 *   });
 */
export function defineWorkflow<
  Slug extends string,
  Input extends Schema,
  Output extends Schema,
  const Result extends DeepReadonly<SchemaInput<Output>>,
>(options: WorkflowOptions<Slug, Input, Output, Result>): Workflow<Slug, SchemaInput<Input>, OutputOf<Output, Result>>;
// Plain JavaScript calls this, too: check every type before relying on it.
export function defineWorkflow(options: WorkflowShape): WorkflowDefinition {
  checkOptions(options, "defineWorkflow", "defineWorkflow({ slug, input, run })");
  checkText(options.slug, "slug", "defineWorkflow", "welcome-email");
  const where = `defineWorkflow({ slug: ${JSON.stringify(options.slug)} })`;
  const given = checkNames(options, where, ["slug", "input", "output", ...workflowSettings, "run", "onFailure"]);
  const { input, output, onFailure } = given;
  checkSchema(input, "input", where);
  if (output !== undefined) checkSchema(output, "output", where);
  checkFunction(given.run, "run", where, "async run(input, ctx) { … }");
  if (onFailure !== undefined) checkFunction(onFailure, "onFailure", where, "async onFailure(run, ctx) { … }");
  return Object.freeze<WorkflowDefinition>({
    ...given,
    [definitionKind]: "workflow",
    // Called as methods of the options, so that code that uses `this` finds the other properties.
    run: (value, ctx) => options.run(value, ctx),
    onFailure: onFailure && ((failed, ctx) => onFailure.call(options, failed, ctx)),
  });
}

interface WorkflowShape extends WorkflowSettings {
  slug: string;
  input: SchemaLike;
  output?: SchemaLike;
  run(input: never, ctx: never): unknown;
  onFailure?(run: never, ctx: never): unknown;
}

/** The output of a run: the parsed output or, without an `output` schema, the return value of `run`. */
type OutputOf<Output, Result> = unknown extends SchemaOutput<Output> ? Result : SchemaOutput<Output>;
