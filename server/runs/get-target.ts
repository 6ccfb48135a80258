import type { Json, JsonSchemaObject } from "../contract/json.ts";
import type { RetryPolicy } from "../contract/manifest.ts";
import type { Target } from "../contract/target.ts";
import { exampleBody } from "../domain/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import { findTarget } from "./find-target.ts";

export interface TargetDetails extends Target {
  file: string;
  input: JsonSchemaObject;
  output: JsonSchemaObject | null;
  retries: RetryPolicy;
  timeoutMs: number;
  concurrency: number | null;
  maxQueued: number | null;
  /** A made-up input of its shape. */
  example: Json;
  /** What starts it. */
  attachments: { attachmentId: string; trigger: string; endpoint: string }[];
}

/** One target of the project that runs now. Throws AppError `not_found`. */
export function getTarget(deps: { project: ProjectReader }, target: Target): TargetDetails {
  const { manifest } = deps.project.current();
  const { slug, file, input, output, retries, timeoutMs, concurrency, maxQueued } = findTarget(manifest, target);
  const attached = manifest.triggers.filter((trigger) => trigger.target.kind === target.kind && trigger.target.slug === slug);
  return {
    kind: target.kind,
    slug,
    file,
    input,
    output,
    retries,
    timeoutMs,
    concurrency,
    maxQueued,
    example: exampleBody(input, null),
    attachments: attached.map(({ attachmentId, slug: trigger, endpoint }) => ({ attachmentId, trigger, endpoint })),
  };
}
