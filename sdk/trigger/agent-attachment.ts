import type { AgentDefinition, MarkedPrompt } from "../definition.ts";
import type { PromptPaths } from "./prompt-paths.ts";

/**
 * Options of `.attach()` for an agent. `Result` is the return type of `transform`; without a transform, the prompt is
 * built from the payload. `Given` is the type of `agent`, even if it is no agent.
 */
export interface AgentAttachment<Payload, Result, Template extends string, Given, Target> {
  /** The agent that a matching webhook starts: the default export of a file in `agents/`. */
  agent: Target;
  workflow?: undefined;
  /**
   * Builds the value that fills the prompt, from the payload that `request` parsed. Can be async. An exception fails
   * the run.
   */
  transform?: ((payload: Payload) => Result | Promise<Result>) & OnlyForAgents<Given>;
  /**
   * The prompt: a string with `{{ path }}` placeholders for values of the payload, or a function. A missing value
   * becomes empty, an object becomes JSON. Placeholders contain no code. In the prompt, delimiters show the model which
   * parts came from the payload. The compiler checks paths into the result of `transform`; the build checks paths into
   * the payload.
   */
  prompt: (Template & PromptPaths<Template, Result>) | PromptFunction<unknown extends Result ? Payload : Result>;
}

/** Fits nothing if a workflow is attached, so that the compiler reports the error on the line at fault. */
type OnlyForAgents<Given> = Given extends AgentDefinition ? unknown : never;

/**
 * Builds a prompt from the payload. If it returns a plain string, all of it is marked as payload. The tag marks only
 * the inserted values: ``prompt: (payload, text) => text`New mail from ${payload.from}` ``.
 */
export type PromptFunction<Value> = (
  payload: Value,
  text: PromptTag,
) => string | MarkedPrompt | Promise<string | MarkedPrompt>;

/** A template tag that marks the values between `${` and `}` as payload. */
export type PromptTag = (texts: TemplateStringsArray, ...values: unknown[]) => MarkedPrompt;
