import type { Dedupe, Rate } from "../contract/project/endpoint.ts";
import type { Json, JsonSchemaObject } from "../contract/json.ts";
import type { Target } from "../contract/project/target.ts";
import { exampleBody } from "../domain/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import { triggersWithSlug } from "./find-triggers.ts";

export interface TriggerDetails {
  slug: string;
  endpoint: string;
  /** The path of its endpoint. */
  path: string;
  request: JsonSchemaObject;
  filter: JsonSchemaObject | null;
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
