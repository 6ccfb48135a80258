import type { AgentDefinition, MarkedPrompt } from "../definition.ts";
import type { PromptPaths } from "./prompt-paths.ts";

/**
 * What `.attach()` takes for an agent. `Result` is what the transform returns; without one, the prompt is made of the
 * payload. `Given` is what stands in `agent`, also where that is none.
 */
export interface AgentAttachment<Payload, Result, Template extends string, Given, Target> {
  /** The agent that a matching webhook starts: the default export of a file in `agents/`. */
  agent: Target;
  workflow?: undefined;
  /**
   * Makes what the prompt is filled with. Gets the payload as `request` parsed it; may be async. What it throws fails
   * the run.
   */
  transform?: ((payload: Payload) => Result | Promise<Result>) & OnlyForAgents<Given>;
  /**
   * What the agent is asked: a text with `{{ path }}` where something of the payload comes in, or a function. What is
   * not there becomes empty, an object becomes JSON; there is no code in it. The model is told which parts came from
   * the payload. Paths are checked: into what a `transform` returns by the compiler, into the payload by the build,
   * which knows its schema.
   */
  prompt: (Template & PromptPaths<Template, Result>) | PromptFunction<unknown extends Result ? Payload : Result>;
}

/** Where a workflow is attached nothing of this fits, so that what the compiler has to say stays on the line at fault. */
type OnlyForAgents<Given> = Given extends AgentDefinition ? unknown : never;

/**
 * Makes a prompt of the payload. Of a plain text that it returns the model is told that all of it came from the
 * payload; the tag tells the two apart: ``prompt: (payload, text) => text`New mail from ${payload.from}` ``.
 */
export type PromptFunction<Value> = (
  payload: Value,
  text: PromptTag,
) => string | MarkedPrompt | Promise<string | MarkedPrompt>;

/** The tag of a template literal: what stands between `${` and `}` came from the payload. */
export type PromptTag = (texts: TemplateStringsArray, ...values: unknown[]) => MarkedPrompt;
