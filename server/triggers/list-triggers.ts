import { z } from "zod";
import { manifestTriggerSchema } from "../contract/manifest.ts";
import type { ProjectReader } from "../ports/project.ts";

/** A trigger of the project that runs now. `path` is where its webhooks go. */
export const triggerSchema = manifestTriggerSchema.omit({ module: true }).extend({ path: z.string() });
export type Trigger = z.infer<typeof triggerSchema>;

/** The triggers, or those on one endpoint, in the order of their attachment ids. */
export function listTriggers(deps: { project: ProjectReader }, filter: { endpoint?: string | undefined } = {}): Trigger[] {
  const { triggers } = deps.project.current().manifest;
  return triggers
    .filter(({ endpoint }) => filter.endpoint === undefined || endpoint === filter.endpoint)
    .map((trigger) => triggerSchema.parse({ ...trigger, path: `/triggers/${trigger.endpoint}` }));
}
