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
import type { Target } from "../contract/project/target.ts";
import { inBatches } from "../domain/event-loop.ts";
import { exampleBody } from "../shared/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";
import { triggersWithSlug } from "./find-triggers.ts";

/** A trigger of the active project. `path` is the path of its endpoint; `example` is a generated example body. */
export const triggerSchema = manifestTriggerSchema.omit({ module: true, readsRequest: true }).extend({
  path: z.string(),
  example: jsonSchema,
  headers: jsonSchemaObjectSchema.nullable(),
  query: jsonSchemaObjectSchema.nullable(),
  body: z.array(bodyFormatSchema),
  verify: z.string().nullable(),
  dedupe: dedupeSchema.nullable(),
  rateLimit: rateSchema.nullable(),
  onMismatch: onMismatchSchema.nullable(),
  reply: replySchema.nullable(),
  challenges: z.array(challengeSchema.pick({ name: true, method: true })),
  methods: methodsSchema,
  prompt: promptSchema.nullable(),
  disabled: disabledSchema.nullable(),
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
  attachments: { attachmentId: string; target: Target; file: string; hasTransform: boolean }[];
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
