import type { Dedupe } from "../contract/dedupe.ts";
import type { Json, JsonSchemaObject } from "../contract/json.ts";
import type { Rate } from "../contract/rate.ts";
import type { Target } from "../contract/target.ts";
import { exampleBody } from "../domain/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import { triggersWithSlug } from "./find-triggers.ts";

export interface TriggerDetails {
  slug: string;
  endpoint: string;
  /** Where its webhooks go. */
  path: string;
  request: JsonSchemaObject;
  filter: JsonSchemaObject | null;
  /** The scheme by which its requests must be signed. */
  verify: string | null;
  dedupe: Dedupe | null;
  rateLimit: Rate | null;
  /** A made-up body of its shape. */
  example: Json;
  attachments: { attachmentId: string; target: Target; file: string; hasTransform: boolean }[];
}

/** One trigger of the project that runs now, with all that it starts. Throws AppError `not_found`. */
export function getTrigger(deps: { project: ProjectReader }, slug: string): TriggerDetails {
  const sources = deps.project.current();
  const [{ endpoint, attachmentId }] = triggersWithSlug(sources, slug);
  const attachments = sources.manifest.triggers.filter((trigger) => trigger.slug === slug);
  // Attachments of one slug share their source.
  const { request, filter, verify, dedupe, rateLimit } = attachments.find(
    (trigger) => trigger.attachmentId === attachmentId,
  ) ?? { request: {}, filter: null, verify: null, dedupe: null, rateLimit: null };
  return {
    slug,
    endpoint,
    path: `/triggers/${endpoint}`,
    request,
    filter,
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
