import { z } from "zod";
import { disabledSchema } from "../contract/disabled.ts";
import { type Json, jsonSchema, type JsonSchemaObject, jsonSchemaObjectSchema } from "../contract/json.ts";
import {
  type BodyFormat,
  type Challenge,
  type Methods,
  bodyFormatSchema,
  type Dedupe,
  dedupeSchema,
  type Rate,
  rateSchema,
  challengeSchema,
  methodsSchema,
  onMismatchSchema,
  replySchema,
} from "../contract/project/endpoint.ts";
import {
  type Manifest,
  type ManifestTrigger,
  manifestTriggerSchema,
  promptSchema,
} from "../contract/project/manifest.ts";
import { type RunKeyParts, runKeySchema } from "../contract/project/run-key.ts";
import type { Target } from "../contract/project/target.ts";
import { inBatches } from "../domain/event-loop.ts";
import { exampleBody } from "../shared/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";
import { triggersWithSlug } from "./find-triggers.ts";

/** A trigger of the active project. `path` is the path of its endpoint; `example` is a generated example body. */
export const triggerSchema = manifestTriggerSchema.omit({ module: true, readsRequest: true }).extend({
  path: z.string().describe("Path of the endpoint: `/triggers/…`."),
  example: jsonSchema.describe("A generated body that matches."),
  headers: jsonSchemaObjectSchema.nullable(),
  query: jsonSchemaObjectSchema.nullable(),
  body: z.array(bodyFormatSchema).describe("The formats in which the endpoint accepts bodies."),
  verify: z.string().nullable().describe("The scheme that verifies signatures. `null`: they are not verified."),
  dedupe: dedupeSchema.nullable().describe("What identifies an event. `null`: the usual headers."),
  rateLimit: rateSchema.nullable().describe("The rate limit of the endpoint. `null`: the default of the service."),
  onMismatch: onMismatchSchema
    .nullable()
    .describe("The response to bodies that match no trigger. `null`: the default."),
  reply: replySchema
    .nullable()
    .describe(
      "The fixed response to accepted, repeated, skipped and held requests, or one for each outcome. `null`: the default.",
    ),
  challenges: z
    .array(challengeSchema.pick({ name: true, method: true }))
    .describe("The tests of the sender that the receiver answers."),
  methods: methodsSchema.describe("The methods of the endpoint. The body of a GET is its query."),
  prompt: promptSchema.nullable().describe("How the prompt of an agent is made. `null`: the target is not an agent."),
  key: runKeySchema
    .nullable()
    .describe("The values of a webhook that make the key of its run. `null`: runs have no key."),
  disabled: disabledSchema.nullable().describe("Since when and why the trigger is disabled. `null`: it is enabled."),
});

export type Trigger = z.infer<typeof triggerSchema>;

/** The built trigger. Whether it is enabled is read each time. */
type Built = Omit<Trigger, "disabled">;

const portion = 20;
/** By attachment id. */
const known = new WeakMap<Manifest, Map<string, Built>>();

/** The triggers, or those on one endpoint, in the order of their attachment ids. Examples are generated once per build. */
export async function listTriggers(
  deps: { project: ProjectReader; store: Pick<SwitchStore, "listDisabledTriggers"> },
  filter: { endpoint?: string | undefined } = {},
): Promise<Trigger[]> {
  const { manifest } = deps.project.current();
  const made = known.get(manifest) ?? new Map<string, Built>();
  known.set(manifest, made);
  const asked = manifest.triggers.filter(
    ({ endpoint }) => filter.endpoint === undefined || endpoint === filter.endpoint,
  );
  const built = await inBatches(asked, {
    size: portion,
    work: async (some) => some.map((trigger) => remember(made, trigger)),
  });
  const disabled = await deps.store.listDisabledTriggers();
  return built.map((trigger) => ({ ...trigger, disabled: disabled.get(trigger.slug) ?? null }));
}

function remember(made: Map<string, Built>, trigger: ManifestTrigger): Built {
  const {
    attachmentId,
    slug,
    endpoint,
    target,
    file,
    hasTransform,
    request,
    filter,
    headers,
    query,
    body,
    verify,
    dedupe,
    rateLimit,
    onMismatch,
    reply,
    challenges,
    methods,
    prompt,
    key,
  } = trigger;
  const shown = made.get(attachmentId) ?? {
    attachmentId,
    slug,
    endpoint,
    target,
    file,
    hasTransform,
    request,
    filter,
    headers,
    query,
    body,
    verify,
    dedupe,
    rateLimit,
    onMismatch,
    reply,
    challenges: challenges.map(({ name, method }) => ({ name, method })),
    methods,
    prompt,
    key,
    path: `/triggers/${endpoint}`,
    example: exampleBody(request, filter),
  };
  made.set(attachmentId, shown);
  return shown;
}

interface TriggerDetails {
  slug: string;
  endpoint: string;
  /** The path of its endpoint. */
  path: string;
  request: JsonSchemaObject;
  filter: JsonSchemaObject | null;
  headers: JsonSchemaObject | null;
  query: JsonSchemaObject | null;
  methods: Methods;
  challenges: Pick<Challenge, "name" | "method">[];
  body: BodyFormat[];
  /** The signature scheme of its requests. */
  verify: string | null;
  dedupe: Dedupe | null;
  rateLimit: Rate | null;
  /** A generated example body. */
  example: Json;
  /** `target`: `null` if it starts nothing and only wakes runs. */
  attachments: {
    attachmentId: string;
    target: Target | null;
    file: string;
    hasTransform: boolean;
    key: RunKeyParts | null;
  }[];
}

/** Returns one trigger of the active project with all its targets. Throws AppError `not_found`. */
export function getTrigger(deps: { project: ProjectReader }, slug: string): TriggerDetails {
  const sources = deps.project.current();
  const [{ endpoint, attachmentId }] = triggersWithSlug(sources, slug);
  const attachments = sources.manifest.triggers.filter((trigger) => trigger.slug === slug);
  // Attachments of one slug share their source.
  const source = attachments.find((trigger) => trigger.attachmentId === attachmentId) ?? null;
  const { request = {}, filter = null, headers = null, query = null } = source ?? {};
  const {
    body = [],
    methods = ["POST"],
    challenges = [],
    verify = null,
    dedupe = null,
    rateLimit = null,
  } = source ?? {};
  return {
    slug,
    endpoint,
    path: `/triggers/${endpoint}`,
    request,
    filter,
    headers,
    query,
    body,
    methods,
    challenges: challenges.map(({ name, method }) => ({ name, method })),
    verify,
    dedupe,
    rateLimit,
    example: exampleBody(request, filter),
    attachments: attachments.map((trigger) => ({
      attachmentId: trigger.attachmentId,
      target: trigger.target,
      file: trigger.file,
      hasTransform: trigger.hasTransform,
      key: trigger.key,
    })),
  };
}

/** The names of selectable resources. */
interface Names {
  version: string;
  /** In the order of attachment ids. */
  triggers: { slug: string; endpoint: string }[];
  targets: Target[];
}

/** The names in the active project: a thousandth of its full description. */
export function listNames(deps: { project: ProjectReader }): Names {
  const { version, triggers, workflows, agents } = deps.project.current().manifest;
  const bySlug = new Map(triggers.map(({ slug, endpoint }) => [slug, { slug, endpoint }]));
  return {
    version,
    triggers: [...bySlug.values()],
    targets: [
      ...workflows.map(({ slug }): Target => ({ kind: "workflow", slug })),
      ...agents.map(({ slug }): Target => ({ kind: "agent", slug })),
    ],
  };
}
