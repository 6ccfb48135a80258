import { z } from "zod";
import { jsonSchema } from "../contract/json.ts";
import { manifestTriggerSchema } from "../contract/manifest.ts";
import { exampleBody } from "../domain/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";

/** A trigger of the project that runs now. `path` is where its webhooks go; `example` is a made-up body of its shape. */
export const triggerSchema = manifestTriggerSchema.omit({ module: true }).extend({ path: z.string(), example: jsonSchema });
export type Trigger = z.infer<typeof triggerSchema>;

/** The triggers, or those on one endpoint, in the order of their attachment ids. */
export function listTriggers(deps: { project: ProjectReader }, filter: { endpoint?: string | undefined } = {}): Trigger[] {
  const { triggers } = deps.project.current().manifest;
  return triggers
    .filter(({ endpoint }) => filter.endpoint === undefined || endpoint === filter.endpoint)
    .map((trigger) => triggerSchema.parse({ ...trigger, path: `/triggers/${trigger.endpoint}`, example: exampleBody(trigger.request, trigger.filter) }));
}
