export {
  defineWebhookSource,
  type Trigger,
  type WebhookSource,
  type WebhookSourceOptions,
} from "./define-webhook-source.ts";
export type { AgentAttachment, PromptFunction, PromptTag } from "./agent-attachment.ts";
export type { Attachment, AttachmentFields, TransformNeeded } from "./attachment.ts";
export type { DedupeOptions, RateLimitOptions } from "../definition.ts";
export type { Mistake } from "../mistake.ts";
export type { Schema, SchemaInput, SchemaOutput } from "../schema.ts";
