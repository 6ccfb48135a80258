import { checkModel, checkOptions, checkSchema, checkText, checkTools } from "../check-shape.ts";
import {
  type AgentBudget,
  type AgentDefinition,
  type AgentToolCalls,
  type Duration,
  type ModelLike,
  type SchemaLike,
  type ToolLike,
  definitionKind,
} from "../definition.ts";
import type { Schema, SchemaOutput } from "../schema.ts";

/** What `defineAgent` takes. */
export interface AgentOptions<Slug extends string, Output extends Schema> {
  /** Names the agent, for ever: `[a-z0-9]+(-[a-z0-9]+)*`, at most 64 characters, e.g. `"triage"`. */
  slug: Slug;
  /**
   * A language model of the AI SDK: `openai("gpt-5-mini")` of `@ai-sdk/openai`, `anthropic("…")`,
   * `createOpenAICompatible({ … })("…")`. Its key comes from the environment of the workers.
   */
  model: ModelLike;
  /** What the model is told before every prompt. Nothing of a payload ever gets in here. */
  instructions: string;
  /** What the model may call, by name: tools of the AI SDK, or of `defineTool`. */
  tools?: Readonly<Record<string, ToolLike>>;
  /**
   * What a run ends with. The answer is parsed by it; one that does not parse is sent back to the model, twice. Without
   * it, a run ends with a text.
   */
  output?: Output;
  /** Most calls of the model in one run. 20 unless told. */
  maxSteps?: number;
  /**
   * Most calls of tools, in one answer of the model and in one run. An answer that asks for more ends the run; none of
   * its calls is executed. Default: 20 and 100.
   */
  maxToolCalls?: AgentToolCalls;
  /** What one run may use up at most. Default: no bound. A run whose provider does not report its usage fails. */
  budget?: AgentBudget;
  /** How long a run may work, time spent waiting not counted, e.g. `"10m"`. One hour unless told. */
  timeout?: Duration;
  /** How long one call of the model may take, to its last word. `"5m"` unless told. */
  callTimeout?: Duration;
  /** Most runs of this agent at the same time, over all workers: a whole number from 1. No bound unless told. */
  concurrency?: number;
  /**
   * Most runs of this agent that may be `queued`: a whole number from 1. A webhook that would queue more is answered
   * 503 with Retry-After, and nothing of it is recorded: its sender comes again. No bound unless told.
   */
  maxQueued?: number;
}

/** An agent, to attach to triggers. `Output` is what a run of it ends with. */
export interface Agent<Slug extends string = string, Output = unknown> extends AgentDefinition {
  readonly slug: Slug;
  /** Carries the type; there is no such property when the program runs. */
  readonly "~types"?: { readonly output: Output };
}

/**
 * A model with instructions and tools that a trigger starts: the default export of a file in `agents/`. Every call of
 * the model and every call of a tool is a step that is stored: after a crash, finished ones are neither repeated nor
 * paid for again. Throws a TypeError when something does not have the shape that it must have.
 *
 * @example
 *   // agents/triage.ts
 *   export default defineAgent({
 *     slug: "triage",
 *     model: openai("gpt-5-mini"),
 *     instructions: "You sort incoming support mail.",
 *     output: z.object({ queue: z.enum(["billing", "bugs", "other"]), urgent: z.boolean() }),
 *   });
 */
export function defineAgent<Slug extends string, Output extends Schema>(
  options: AgentOptions<Slug, Output>,
): Agent<Slug, OutputOf<Output>>;
// Plain JavaScript calls this too: no type is trusted before it is checked.
export function defineAgent(options: AgentShape): AgentDefinition {
  checkOptions(options, "defineAgent", "defineAgent({ slug, model, instructions })");
  const {
    slug,
    model,
    instructions,
    tools,
    output,
    maxSteps,
    maxToolCalls,
    budget,
    timeout,
    callTimeout,
    concurrency,
    maxQueued,
  } = options;
  checkText(slug, "slug", "defineAgent", "triage");
  const where = `defineAgent({ slug: ${JSON.stringify(slug)} })`;
  checkModel(model, where);
  checkText(instructions, "instructions", where, "You sort incoming support mail.");
  if (tools !== undefined) checkTools(tools, where);
  if (output !== undefined) checkSchema(output, "output", where);
  if (maxToolCalls !== undefined)
    checkOptions(maxToolCalls, `${where}: maxToolCalls`, "maxToolCalls: { perAnswer: 20, perRun: 100 }");
  if (budget !== undefined) checkOptions(budget, `${where}: budget`, "budget: { tokens: 50_000 }");
  return Object.freeze<AgentDefinition>({
    [definitionKind]: "agent",
    slug,
    model,
    instructions,
    tools: tools ?? {},
    output,
    maxSteps,
    maxToolCalls,
    budget,
    timeout,
    callTimeout,
    concurrency,
    maxQueued,
  });
}

interface AgentShape {
  slug: string;
  model: ModelLike;
  instructions: string;
  tools?: Readonly<Record<string, ToolLike>>;
  output?: SchemaLike;
  maxSteps?: number;
  maxToolCalls?: AgentToolCalls;
  budget?: AgentBudget;
  timeout?: Duration;
  callTimeout?: Duration;
  concurrency?: number;
  maxQueued?: number;
}

/** Without an `output` schema, a run ends with what the model wrote. */
type OutputOf<Output> = unknown extends SchemaOutput<Output> ? string : SchemaOutput<Output>;
