import { checkFunction, checkOptions, checkSchema, checkText } from "../check-shape.ts";
import {
  type Duration,
  type RetryOptions,
  type SchemaLike,
  type WorkflowDefinition,
  definitionKind,
} from "../definition.ts";
import type { DeepReadonly, Schema, SchemaInput, SchemaOutput } from "../schema.ts";
import type { WorkflowContext } from "./context.ts";

/** What `defineWorkflow` takes. */
export interface WorkflowOptions<Slug extends string, Input extends Schema, Output extends Schema, Result> {
  /** Names the workflow, for ever: `[a-z0-9]+(-[a-z0-9]+)*`, at most 64 characters, e.g. `"welcome-email"`. */
  slug: Slug;
  /**
   * What a run begins with. Structural Zod with built-in validators, for it is exported to JSON Schema. An input that
   * does not parse fails the run.
   */
  input: Input;
  /** What a run ends with. Where it is given, what `run` returns is parsed by it, and what does not parse fails the run. */
  output?: Output;
  /** How often an attempt that failed is repeated, and how soon. Three attempts unless told otherwise. */
  retries?: RetryOptions;
  /** How long one attempt may take, sleeps not counted, e.g. `"5m"`. One hour unless told. */
  timeout?: Duration;
  /** Most runs of this workflow at the same time, over all workers: a whole number from 1. No bound unless told. */
  concurrency?: number;
  /**
   * Most runs of this workflow that may be queued: a whole number from 1, e.g. 1000. A webhook that would queue more is
   * answered 503 `queue_full`, and starts nothing; its sender comes again. No bound unless told.
   */
  maxQueued?: number;
  /** The work. Gets the input as `input` parsed it. What it throws fails the attempt. What it returns is stored as JSON. */
  run(input: SchemaOutput<Input>, ctx: WorkflowContext): Result | Promise<Result>;
}

/** A workflow, to attach to triggers. `Input` is what its `input` reads, `Output` what a run of it ends with. */
export interface Workflow<Slug extends string = string, Input = unknown, Output = unknown> extends WorkflowDefinition {
  readonly slug: Slug;
  /** Carries the types; there is no such property when the program runs. */
  readonly "~types"?: { readonly input: Input; readonly output: Output };
}

/**
 * Work that a trigger starts: the default export of a file in `workflows/`. It runs in a worker process, is repeated
 * when it fails, and goes on after a crash behind its last finished `ctx.step`. Throws a TypeError when `slug` is not a
 * text, `input` or `output` not a Zod schema, or `run` not a function.
 *
 * @example
 *   // workflows/welcome-email.ts
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
// Plain JavaScript calls this too: no type is trusted before it is checked.
export function defineWorkflow(options: WorkflowShape): WorkflowDefinition {
  checkOptions(options, "defineWorkflow", "defineWorkflow({ slug, input, run })");
  const { slug, input, output, retries, timeout, concurrency, maxQueued } = options;
  checkText(slug, "slug", "defineWorkflow", "welcome-email");
  const where = `defineWorkflow({ slug: ${JSON.stringify(slug)} })`;
  checkSchema(input, "input", where);
  if (output !== undefined) checkSchema(output, "output", where);
  checkFunction(options.run, "run", where, "async run(input, ctx) { … }");
  // Called on the options, as it was written: a `run` that uses `this` finds its neighbours.
  const run: WorkflowDefinition["run"] = (value, ctx) => options.run(value, ctx);
  return Object.freeze<WorkflowDefinition>({
    [definitionKind]: "workflow",
    slug,
    input,
    output,
    retries,
    timeout,
    concurrency,
    maxQueued,
    run,
  });
}

interface WorkflowShape {
  slug: string;
  input: SchemaLike;
  output?: SchemaLike;
  retries?: RetryOptions;
  timeout?: Duration;
  concurrency?: number;
  maxQueued?: number;
  run(input: never, ctx: never): unknown;
}

/** What a run ends with: the output as parsed, or, without an `output` schema, what `run` returns. */
type OutputOf<Output, Result> = unknown extends SchemaOutput<Output> ? Result : SchemaOutput<Output>;
