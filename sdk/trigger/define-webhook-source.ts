import {
  checkAgent,
  checkFunction,
  checkNames,
  checkOptions,
  checkPrompt,
  checkSchema,
  checkTarget,
  checkText,
  checkVerification,
} from "../check-shape.ts";
import {
  type PromptDefinition,
  type SchemaLike,
  type SourceDefinition,
  type TriggerDefinition,
  type VerificationDefinition,
  definitionKind,
  type payloadType,
} from "../definition.ts";
import { type EndpointSettings, endpointSettings } from "../endpoint-settings.ts";
import type { RunKey } from "../run-key.ts";
import type { DeepReadonly, Schema, SchemaInput, SchemaOutput } from "../schema.ts";
import type { Workflow } from "../workflow/define-workflow.ts";
import type { Agent } from "../agent/define-agent.ts";
import type { AgentAttachment, Attachment } from "./attachment.ts";
import type { Narrowed, ValidFilter } from "./filter.ts";
import type { ValidHeaders, ValidQuery } from "./headers.ts";
import type { NothingMisspelt } from "./misspelt.ts";

/** Options of `defineWebhookSource`. */
export interface WebhookSourceOptions<
  Slug extends string,
  Request extends Schema,
  Headers extends Schema = Schema,
  Filter = Schema,
  Query extends Schema = Schema,
> extends EndpointSettings {
  /** Permanent id of the trigger: `[a-z0-9]+(-[a-z0-9]+)*`, at most 64 characters, e.g. `"new-signup"`. */
  slug: Slug;
  /**
   * Path of the endpoint: `"signup"` is `POST /triggers/signup`. It consists of slug-like segments, joined by `/`.
   * Several triggers can share one endpoint.
   */
  endpoint: string;
  /**
   * Schema of the bodies that start a run. Its parsed output is the payload. Use structural Zod with built-in
   * validators: the schema is exported to JSON Schema, which cannot express `.transform()` or `.refine()`. Additional
   * fields are ignored.
   */
  request: Request;
  /**
   * A second condition on the same body, e.g. to select one type of event on a shared endpoint: `z.object({ type:
   * z.literal("invoice.paid") })`. Each field must be a field of `request`, with values that it allows. It never
   * changes the payload; of a union, the payload's type has only the members that match. Default: no second condition.
   */
  filter?: Filter;
  /**
   * A condition on the request headers, e.g. to select one kind of event: `z.object({ "x-github-event":
   * z.literal("issues") })`. Names are in lower case. Values are strings; of a repeated header, the first one. A field
   * whose schema is an array receives all values. Headers that the schema does not name are ignored. Credentials and
   * signatures (`authorization`, cookies, keys) cannot be named: they are removed before. Default: no condition.
   */
  headers?: Headers & ValidHeaders<Headers>;
  /**
   * A condition on the query of the URL, e.g. `z.object({ topic: z.literal("orders") })`. Values are strings; a
   * repeated parameter has an array of its values, and so has one whose schema is an array. Parameters that the schema
   * does not name are ignored. Keys, credentials and signatures cannot be named: they are removed before. Of a GET, the
   * query is the body: describe it in `request`. Default: no condition.
   */
  query?: Query & ValidQuery<Query>;
  /**
   * Signature verification, by a function of `signalbox/verify`: `github({ secret: process.env.GITHUB_SECRET })`. It
   * applies in addition to the key. Sources that share an endpoint must use the same verification. Default: none.
   */
  verify?: VerificationDefinition;
}

/**
 * A webhook source without a target; add one with `.attach()`. Without a target, as the default export of a file in
 * `triggers/`, it starts no runs and only wakes those that wait for it with `ctx.waitFor`. `Payload` is the output type
 * of `request`, narrowed by `filter`. `Headers` and `Query` are the output types of `headers` and `query`.
 */
export interface WebhookSource<
  Slug extends string = string,
  Payload = unknown,
  Headers = {},
  Query = {},
> extends SourceDefinition {
  readonly slug: Slug;
  /** Only a type: there is no such property. */
  readonly [payloadType]?: Payload;
  /**
   * Sets the workflow or agent that a matching webhook starts, and its input. Use the result as the default export of a
   * file in `triggers/`.
   *
   * Without a `transform`, the payload is the workflow's input; a payload that does not match is a type error. An agent
   * gets a `prompt`, built from the payload or from the result of `transform`. Throws a TypeError if `workflow` is not
   * a workflow, `agent` is not an agent, `transform` is not a function, or `prompt` is neither a string nor a function.
   *
   * @example
   *   source.attach({ workflow: welcomeEmail, transform: (payload) => ({ to: payload.email }) });
   *   source.attach({ agent: triage, prompt: "New mail from {{ customer.email }}: {{ subject }}" });
   */
  attach<
    TargetSlug extends string,
    Input,
    Output,
    const Result extends DeepReadonly<Input> & NothingMisspelt<Result, Input, Payload>,
    const Template extends string,
    Target extends Workflow | Agent,
  >(
    attachment:
      | Attachment<Payload, Input, Result, Target & Workflow<TargetSlug, Input, Output>, Headers, Query>
      | AgentAttachment<Payload, Result, Template, Target, Target & Agent<TargetSlug, Output>, Headers, Query>,
  ): Trigger<Slug, Payload, Target>;
}

/** A source with its target: the default export of a file in `triggers/`, where a source alone only wakes runs. */
export interface Trigger<
  Slug extends string = string,
  Payload = unknown,
  Target extends Workflow | Agent = Workflow | Agent,
> extends TriggerDefinition {
  readonly source: WebhookSource<Slug, Payload>;
  readonly target: Target;
}

/**
 * Defines a trigger that listens for webhooks at an endpoint. A request whose body parses with `request` (and with
 * `filter`, its headers with `headers`, and its query with `query`, if set) starts a run of the attached target. It
 * also wakes the runs that wait for the source. Throws a TypeError if `slug` or `endpoint` is not a string, `request`,
 * `filter`, `headers` or `query` is not a Zod schema, or `verify` is not made by `signalbox/verify`.
 *
 * @example
 *   // triggers/new-signup.ts
 *   import { defineWebhookSource } from "signalbox/trigger";
 *   import { z } from "zod";
 *   import welcomeEmail from "../workflows/welcome-email.js";
 *
 *   export default defineWebhookSource({
 *     slug: "new-signup",
 *     endpoint: "signup",
 *     request: z.object({ name: z.string().trim().min(1), email: z.email() }),
 *   }).attach({
 *     workflow: welcomeEmail,
 *     transform: (payload) => ({ to: payload.email, displayName: payload.name }),
 *   });
 */
export function defineWebhookSource<
  Slug extends string,
  Request extends Schema,
  Headers extends Schema = never,
  Filter extends Schema = never,
  Query extends Schema = never,
>(
  options: WebhookSourceOptions<Slug, Request, Headers, Filter, Query> &
    ValidFilter<SchemaInput<Request>, SchemaInput<Filter>>,
): WebhookSource<Slug, PayloadOf<Request, Filter>, FieldsOf<Headers>, FieldsOf<Query>>;
// Plain JavaScript calls this, and so does the receiver with references in place of workflows: check every type first.
export function defineWebhookSource(options: Omit<PlainOptions, "event">): SourceDefinition {
  checkOptions(options, "defineWebhookSource", "defineWebhookSource({ slug, endpoint, request })");
  const names = ["slug", "request", "filter", ...endpointOptions] as const;
  return createSource(checkNames(options, "defineWebhookSource", names), "defineWebhookSource");
}

export type PayloadOf<Request, Filter> = Narrowed<SchemaOutput<Request>, SchemaInput<Request>, SchemaInput<Filter>>;

/** The output type of an optional schema: of none, an object without fields. */
export type FieldsOf<Fields extends Schema, Default = {}> = [Fields] extends [never] ? Default : SchemaOutput<Fields>;

export function createSource(options: PlainOptions, made: string): SourceDefinition {
  const { slug, endpoint, request, filter, headers, query, verify, dedupe, rateLimit } = options;
  checkText(slug, "slug", made, "new-signup");
  const where = `${made}({ slug: ${JSON.stringify(slug)} })`;
  checkText(endpoint, "endpoint", where, "signup");
  checkSchema(request, "request", where);
  if (filter !== undefined) checkSchema(filter, "filter", where);
  if (headers !== undefined) checkSchema(headers, "headers", where);
  if (query !== undefined) checkSchema(query, "query", where);
  if (verify !== undefined) checkVerification(verify, where);
  if (dedupe !== undefined) checkOptions(dedupe, `${where}: dedupe`, 'dedupe: { field: "/id" }');
  if (rateLimit !== undefined)
    checkOptions(rateLimit, `${where}: rateLimit`, 'rateLimit: { requests: 100, per: "minute" }');
  const source = {
    ...options,
    [definitionKind]: "source",
    attach: (attachment: AttachmentShape) => attach(source, attachment, `${where}.attach`),
  } as const;
  return Object.freeze(source);
}

export interface PlainOptions extends EndpointSettings {
  slug: string;
  endpoint: string;
  request: SchemaLike;
  filter?: SchemaLike | undefined;
  headers?: SchemaLike | undefined;
  query?: SchemaLike | undefined;
  verify?: VerificationDefinition;
  /** Only typed sources set it. */
  event?: SchemaLike | undefined;
}

export const endpointOptions = ["endpoint", "headers", "query", "verify", ...endpointSettings] as const;

type AttachmentShape = {
  workflow?: TriggerDefinition["target"];
  agent?: TriggerDefinition["target"];
  prompt?: PromptDefinition;
  transform?: TriggerDefinition["transform"];
  key?: RunKey;
};

function attach(source: SourceDefinition, attachment: AttachmentShape, where: string): TriggerDefinition {
  checkOptions(attachment, where, ".attach({ workflow })");
  checkNames(attachment, where, ["workflow", "agent", "prompt", "transform", "key"]);
  const { workflow, agent, prompt, transform, key } = attachment;
  if (transform !== undefined)
    checkFunction(transform, "transform", where, "transform: (payload) => ({ … }), or leave it out");
  if (agent === undefined) {
    checkTarget(workflow, where);
    if (prompt !== undefined)
      throw new TypeError(`${where}: prompt is only for agents. Build the input of a workflow with transform.`);
    return Object.freeze({
      [definitionKind]: "trigger",
      source,
      target: workflow,
      transform,
      key,
    } as TriggerDefinition);
  }
  if (workflow !== undefined)
    throw new TypeError(
      `${where}: a trigger starts a workflow or an agent, not both. Write a trigger file for each; they may share the endpoint.`,
    );
  checkAgent(agent, where);
  checkPrompt(prompt, where);
  return Object.freeze<TriggerDefinition>({
    [definitionKind]: "trigger",
    source,
    target: agent,
    transform,
    prompt,
    key,
  });
}
