import {
  checkAgent,
  checkFunction,
  checkOptions,
  checkPrompt,
  checkSchema,
  checkTarget,
  checkText,
  checkVerification,
} from "../check-shape.ts";
import {
  type DedupeOptions,
  type PromptDefinition,
  type RateLimitOptions,
  type SchemaLike,
  type SourceDefinition,
  type TriggerDefinition,
  type VerificationDefinition,
  definitionKind,
} from "../definition.ts";
import type { DeepReadonly, Schema, SchemaOutput } from "../schema.ts";
import type { Workflow } from "../workflow/define-workflow.ts";
import type { Agent } from "../agent/define-agent.ts";
import type { AgentAttachment } from "./agent-attachment.ts";
import type { Attachment } from "./attachment.ts";

/** What `defineWebhookSource` takes. */
export interface WebhookSourceOptions<Slug extends string, Request extends Schema> {
  /** Names the trigger, for ever: `[a-z0-9]+(-[a-z0-9]+)*`, at most 64 characters, e.g. `"new-signup"`. */
  slug: Slug;
  /**
   * Where it listens: `"signup"` is `POST /triggers/signup`. Segments like a slug, joined by `/`. Several triggers may
   * share one.
   */
  endpoint: string;
  /**
   * The body that starts a run, and the payload that comes of it. Structural Zod, with built-in validators: it is
   * exported to JSON Schema, which cannot carry `.transform()` or `.refine()`. Fields that it does not name are
   * ignored.
   */
  request: Request;
  /**
   * A second condition on the same body, e.g. to tell events on a shared endpoint apart: `z.object({ type:
   * z.literal("invoice.paid") })`. It never changes the payload.
   */
  filter?: Schema;
  /**
   * Takes only requests that the sender signed, by a function of `signalbox/verify`: `github({ secret:
   * process.env.GITHUB_SECRET })`. On top of the key. Sources that share an endpoint must verify alike.
   */
  verify?: VerificationDefinition;
  /**
   * What names an event, where it is not an `Idempotency-Key` or `webhook-id`: a header or a place in the body. An
   * event that was accepted once gets the first answer again and starts nothing. Sources that share an endpoint must
   * say the same.
   */
  dedupe?: DedupeOptions;
  /**
   * Most requests that this endpoint takes, of all keys, e.g. `{ requests: 100, per: "minute" }`; what is over it gets
   * 429 with `Retry-After`. It takes the place of `limits.perEndpoint` of the settings. Sources that share an endpoint
   * must say the same, and share what it lets in.
   */
  rateLimit?: RateLimitOptions;
}

/** A webhook source without a target yet; `.attach()` gives it one. `Payload` is what its `request` makes of a body. */
export interface WebhookSource<Slug extends string = string, Payload = unknown> extends SourceDefinition {
  readonly slug: Slug;
  /**
   * Says what a matching webhook starts, and with what input. Its result is the default export of a file in
   * `triggers/`.
   *
   * Without a `transform` the payload is the input; a payload that does not fit is a type error. An agent gets a
   * `prompt` instead, made of the payload or of what `transform` makes of it. Throws a TypeError when `workflow` is not
   * a workflow, `agent` not an agent, `transform` not a function or `prompt` neither a text nor a function.
   *
   * @example
   *   source.attach({ workflow: welcomeEmail, transform: (payload) => ({ to: payload.email }) });
   *   source.attach({ agent: triage, prompt: "New mail from {{ customer.email }}: {{ subject }}" });
   */
  attach<
    TargetSlug extends string,
    Input,
    Output,
    const Result extends DeepReadonly<Input>,
    const Template extends string,
    Target extends Workflow | Agent,
  >(
    attachment:
      | Attachment<Payload, Input, Result, Target & Workflow<TargetSlug, Input, Output>>
      | AgentAttachment<Payload, Result, Template, Target, Target & Agent<TargetSlug, Output>>,
  ): Trigger<Slug, Payload, Target>;
}

/** A source with its target: the default export of a file in `triggers/`. */
export interface Trigger<
  Slug extends string = string,
  Payload = unknown,
  Target extends Workflow | Agent = Workflow | Agent,
> extends TriggerDefinition {
  readonly source: WebhookSource<Slug, Payload>;
  readonly target: Target;
}

/**
 * Listens for webhooks at an endpoint. A body that parses with `request`, and with `filter` where there is one, starts
 * a run of the target that is attached. Throws a TypeError when `slug` or `endpoint` is not a text, `request` or
 * `filter` not a Zod schema, or `verify` not of `signalbox/verify`.
 *
 * @example
 *   // triggers/new-signup.ts
 *   export default defineWebhookSource({
 *     slug: "new-signup",
 *     endpoint: "signup",
 *     request: z.object({ name: z.string().trim().min(1), email: z.email() }),
 *   }).attach({
 *     workflow: welcomeEmail,
 *     transform: (payload) => ({ to: payload.email, displayName: payload.name }),
 *   });
 */
export function defineWebhookSource<Slug extends string, Request extends Schema>(
  options: WebhookSourceOptions<Slug, Request>,
): WebhookSource<Slug, SchemaOutput<Request>>;
// Plain JavaScript calls this too, and the receiver does, with references in place of workflows: no type is trusted before it is checked.
export function defineWebhookSource(options: PlainOptions): SourceDefinition {
  checkOptions(options, "defineWebhookSource", "defineWebhookSource({ slug, endpoint, request })");
  const { slug, endpoint, request, filter, verify, dedupe, rateLimit } = options;
  checkText(slug, "slug", "defineWebhookSource", "new-signup");
  const where = `defineWebhookSource({ slug: ${JSON.stringify(slug)} })`;
  checkText(endpoint, "endpoint", where, "signup");
  checkSchema(request, "request", where);
  if (filter !== undefined) checkSchema(filter, "filter", where);
  if (verify !== undefined) checkVerification(verify, where);
  if (dedupe !== undefined) checkOptions(dedupe, `${where}: dedupe`, 'dedupe: { field: "/id" }');
  if (rateLimit !== undefined)
    checkOptions(rateLimit, `${where}: rateLimit`, 'rateLimit: { requests: 100, per: "minute" }');
  const source = {
    [definitionKind]: "source",
    slug,
    endpoint,
    request,
    filter,
    verify,
    dedupe,
    rateLimit,
    attach: (attachment: AttachmentShape) => attach(source, attachment, `${where}.attach`),
  } as const;
  return Object.freeze(source);
}

type PlainOptions = Pick<SourceDefinition, "slug" | "endpoint" | "request"> & {
  filter?: SchemaLike;
  verify?: VerificationDefinition;
  dedupe?: DedupeOptions;
  rateLimit?: RateLimitOptions;
};

type AttachmentShape = {
  workflow?: TriggerDefinition["target"];
  agent?: TriggerDefinition["target"];
  prompt?: PromptDefinition;
  transform?: TriggerDefinition["transform"];
};

function attach(source: SourceDefinition, attachment: AttachmentShape, where: string): TriggerDefinition {
  checkOptions(attachment, where, ".attach({ workflow })");
  const { workflow, agent, prompt, transform } = attachment;
  if (transform !== undefined)
    checkFunction(transform, "transform", where, "transform: (payload) => ({ … }), or leave it out");
  if (agent === undefined) {
    checkTarget(workflow, where);
    if (prompt !== undefined)
      throw new TypeError(`${where}: prompt is for agents. A workflow gets its input by transform.`);
    return Object.freeze({ [definitionKind]: "trigger", source, target: workflow, transform } as TriggerDefinition);
  }
  if (workflow !== undefined)
    throw new TypeError(
      `${where}: a trigger starts a workflow or an agent, not both. Write a trigger file for each; they may share the endpoint.`,
    );
  checkAgent(agent, where);
  checkPrompt(prompt, where);
  return Object.freeze<TriggerDefinition>({ [definitionKind]: "trigger", source, target: agent, transform, prompt });
}
