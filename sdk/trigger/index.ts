export { defineEndpoint, type Endpoint, type EndpointOptions, type EndpointSourceOptions } from "./define-endpoint.ts";
export {
  defineWebhookSource,
  type Trigger,
  type WebhookSource,
  type WebhookSourceOptions,
} from "./define-webhook-source.ts";
export type {
  AgentAttachment,
  Attachment,
  PlainAttachment,
  PromptFunction,
  PromptTag,
  TransformedAttachment,
  TransformNeeded,
} from "./attachment.ts";
export type { Narrowed, ValidFilter } from "./filter.ts";
export type { RequestFields, TransformContext, ValidHeaders, ValidQuery } from "./headers.ts";
export type { NothingMisspelt } from "./misspelt.ts";
export type {
  BodyOptions,
  DedupeOptions,
  FixedReply,
  OutcomeReplies,
  RateLimitOptions,
  ReplyOptions,
  SourceChallenge,
} from "../endpoint-settings.ts";
export type { RunKey, RunKeyPart } from "../run-key.ts";
export type { ChallengeOptions, ChallengePreset, RequestValue } from "../challenges.ts";
export { sensitive } from "../sensitive.ts";
export type { CompileError, Schema, SchemaInput, SchemaOutput } from "../schema.ts";
