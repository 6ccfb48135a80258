export { defineAgent, type Agent, type AgentOptions } from "./define-agent.ts";
export { defineTool, type Tool, type ToolCallContext, type ToolOptions } from "./define-tool.ts";
export {
  scriptedModel,
  type ModelConversation,
  type ModelToolResult,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
} from "./scripted-model.ts";
export type { MarkedPrompt, ModelLike, PromptPart, ToolLike } from "../definition.ts";
export type { Duration } from "../duration.ts";
export type { AgentBudget } from "../target-settings.ts";
export type { FailedRun } from "../failed-run.ts";
export { NonRetryableError, RetryAfterError } from "../errors.ts";
export type { Schema, SchemaOutput } from "../schema.ts";
export type { WorkflowContext } from "../workflow/context.ts";
