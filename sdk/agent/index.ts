export { defineAgent, type Agent, type AgentOptions } from "./define-agent.ts";
export { defineTool, type Tool, type ToolCallContext, type ToolOptions } from "./define-tool.ts";
export type { StandInConversation, StandInToolResult } from "./stand-in-conversation.ts";
export {
  standInModel,
  type StandInAnswer,
  type StandInCall,
  type StandInModel,
  type StandInOptions,
} from "./stand-in-model.ts";
export type { AgentBudget, Duration, MarkedPrompt, ModelLike, PromptPart, ToolLike } from "../definition.ts";
export type { Schema, SchemaOutput } from "../schema.ts";
