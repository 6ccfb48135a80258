import {
  checkFunction,
  checkModel,
  checkNames,
  checkOptions,
  checkSchema,
  checkText,
  checkTools,
} from "../check-shape.ts";
import { type AgentDefinition, type ModelLike, type SchemaLike, type ToolLike, definitionKind } from "../definition.ts";
import type { FailedRun } from "../failed-run.ts";
import type { Schema, SchemaOutput } from "../schema.ts";
import { type AgentSettings, agentSettings } from "../target-settings.ts";
import type { WorkflowContext } from "../workflow/context.ts";

/** Options of `defineAgent`. */
export interface AgentOptions<Slug extends string, Output extends Schema> extends AgentSettings {
  /** Permanent id of the agent: `[a-z0-9]+(-[a-z0-9]+)*`, at most 64 characters, e.g. `"triage"`. */
  slug: Slug;
  /**
   * A language model of the AI SDK: `openai("gpt-5-mini")` from `@ai-sdk/openai`, `anthropic("…")`,
   * `createOpenAICompatible({ … })("…")`. Its API key comes from the environment of the workers.
   */
  model: ModelLike;
  /** The system prompt. It never contains values of a payload. */
  instructions: string;
  /** Tools that the model can call, by name: tools of the AI SDK or of `defineTool`. Default: none. */
  tools?: Readonly<Record<string, ToolLike>>;
  /**
   * Schema of the run's output. An answer that does not parse is sent back to the model, at most twice. Default: the
   * output is a string.
   */
  output?: Output;
  /**
   * Called once for each run that has failed permanently, as a run of its own: see `onFailure` of `defineWorkflow`. The
   * input is the prompt. `onFailure` is code of yours; it calls no model.
   *
   * @example
   *   async onFailure(run, ctx) {
   *   await ctx.step("escalate", () => tickets.assign({ delivery: run.deliveryId, to: "support" }));
   *   },
   */
  onFailure?(run: FailedRun<{ readonly prompt: string }>, ctx: WorkflowContext): unknown;
}

/** An agent that triggers can start. `Output` is the output of a run. */
export interface Agent<Slug extends string = string, Output = unknown> extends AgentDefinition {
  readonly slug: Slug;
  /** Carries the type; the property does not exist at run time. */
  readonly "~types"?: { readonly output: Output };
}

/**
 * Defines an agent: the default export of a file in `agents/`. Every model call and every tool call is a durable step.
 * After a crash, completed calls are neither repeated nor paid for again. Throws a TypeError if an option has the wrong
 * type.
 *
 * @example
 *   // agents/triage.ts
 *   import { openai } from "@ai-sdk/openai";
 *   import { defineAgent } from "signalbox/agent";
 *   import { z } from "zod";
 *
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
// Plain JavaScript calls this, too: check every type before relying on it.
export function defineAgent(options: AgentShape): AgentDefinition {
  checkOptions(options, "defineAgent", "defineAgent({ slug, model, instructions })");
  checkText(options.slug, "slug", "defineAgent", "triage");
  const where = `defineAgent({ slug: ${JSON.stringify(options.slug)} })`;
  const given = checkNames(options, where, [
    "slug",
    "model",
    "instructions",
    "tools",
    "output",
    ...agentSettings,
    "onFailure",
  ]);
  const { model, instructions, tools, output, maxToolCalls, budget, onFailure } = given;
  checkModel(model, where);
  checkText(instructions, "instructions", where, "You sort incoming support mail.");
  if (tools !== undefined) checkTools(tools, where);
  if (output !== undefined) checkSchema(output, "output", where);
  if (maxToolCalls !== undefined)
    checkOptions(maxToolCalls, `${where}: maxToolCalls`, "maxToolCalls: { perAnswer: 20, perRun: 100 }");
  if (budget !== undefined) checkOptions(budget, `${where}: budget`, "budget: { tokens: 50_000 }");
  if (onFailure !== undefined) checkFunction(onFailure, "onFailure", where, "async onFailure(run, ctx) { … }");
  return Object.freeze<AgentDefinition>({
    ...given,
    [definitionKind]: "agent",
    tools: tools ?? {},
    onFailure: onFailure && ((failed, ctx) => onFailure.call(options, failed, ctx)),
  });
}

interface AgentShape extends AgentSettings {
  slug: string;
  model: ModelLike;
  instructions: string;
  tools?: Readonly<Record<string, ToolLike>>;
  output?: SchemaLike;
  onFailure?(run: never, ctx: never): unknown;
}

/** Without an `output` schema, the output is the model's text. */
type OutputOf<Output> = unknown extends SchemaOutput<Output> ? string : SchemaOutput<Output>;
