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
export type { AgentBudget, Duration, MarkedPrompt, ModelLike, PromptPart, ToolLike } from "../definition.ts";
export { NonRetryableError, RetryAfterError } from "../errors.ts";
export type { Schema, SchemaOutput } from "../schema.ts";
