import { z } from "zod";
import { dedupeSchema, rateSchema } from "../contract/project/endpoint.ts";
import { disabledSchema } from "../contract/disabled.ts";
import { jsonSchema } from "../contract/json.ts";
import {
  type Manifest,
  type ManifestTrigger,
  manifestTriggerSchema,
  promptSchema,
} from "../contract/project/manifest.ts";
import { inBatches } from "../domain/event-loop.ts";
import { exampleBody } from "../domain/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";

/** A trigger of the active project. `path` is the path of its endpoint; `example` is a generated example body. */
export const triggerSchema = manifestTriggerSchema.omit({ module: true }).extend({
  path: z.string(),
  example: jsonSchema,
  verify: z.string().nullable(),
  dedupe: dedupeSchema.nullable(),
  rateLimit: rateSchema.nullable(),
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
    verify,
    dedupe,
    rateLimit,
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
    verify,
    dedupe,
    rateLimit,
    prompt,
    path: `/triggers/${endpoint}`,
    example: exampleBody(request, filter),
  };
  made.set(attachmentId, shown);
  return shown;
}
