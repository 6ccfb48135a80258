import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Preset, PresetSubject } from "../contract/preset.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { newId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader, ProjectSources } from "../ports/project.ts";
import type { PresetStore } from "../ports/store.ts";

/** A limit, so that a script cannot fill the store. */
const maxPresets = 200;

/**
 * Saves a body or an input under a name and replaces an older one with that name. Throws AppError `not_found` or
 * `invalid_input`.
 */
export async function savePreset(
  deps: { store: Pick<PresetStore, "listPresets" | "savePreset">; project: ProjectReader; clock: Clock },
  request: { subject: PresetSubject; name: string; value: Json },
): Promise<Preset> {
  const { subject, name, value } = request;
  const subjectName = nameSubject(deps.project.current(), subject);
  const presets = await deps.store.listPresets(subject);
  if (presets.length >= maxPresets && !presets.some((preset) => preset.name === name)) {
    throw new AppError(
      "invalid_input",
      `The limit of ${maxPresets} presets of ${subjectName} is reached. Remove one first.`,
    );
  }
  const now = deps.clock.now();
  return deps.store.savePreset({ id: newId("pre", now), subject, name, value, now });
}

/** `trigger invoice-paid`, if the project has it. Throws AppError `not_found`. */
function nameSubject({ manifest }: Pick<ProjectSources, "manifest">, { kind, slug }: PresetSubject): string {
  const known = { trigger: manifest.triggers, workflow: manifest.workflows, agent: manifest.agents }[kind];
  const slugs = known.map((one) => one.slug);
  if (slugs.includes(slug)) return `${kind} ${slug}`;
  throw new AppError(
    "not_found",
    `There is no ${kind} ${JSON.stringify(slug)} in this project.${didYouMean(slug, slugs)}`,
  );
}

/** Throws AppError `not_found`. */
export async function removePreset(deps: { store: Pick<PresetStore, "removePreset"> }, id: string): Promise<void> {
  const isKnown = await deps.store.removePreset(id);
  if (!isKnown)
    throw new AppError("not_found", `There is no preset ${JSON.stringify(id)}. It may have been removed or replaced.`);
}
