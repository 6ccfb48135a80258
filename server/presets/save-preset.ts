import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Preset, PresetSubject } from "../contract/preset.ts";
import { newId } from "../domain/ids.ts";
import { nameSubject } from "./name-subject.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { PresetStore } from "../ports/store.ts";

/** More than anybody picks from; so that a script cannot fill the store. */
const most = 200;

/**
 * Keeps a body or an input under a name; an older one of that name gives way. Throws AppError `not_found` or
 * `invalid_input`.
 */
export async function savePreset(
  deps: { store: Pick<PresetStore, "listPresets" | "savePreset">; project: ProjectReader; clock: Clock },
  request: { subject: PresetSubject; name: string; value: Json },
): Promise<Preset> {
  const { subject, name, value } = request;
  const subjectName = nameSubject(deps.project.current(), subject);
  const presets = await deps.store.listPresets(subject);
  if (presets.length >= most && !presets.some((preset) => preset.name === name)) {
    throw new AppError("invalid_input", `There are ${most} presets of ${subjectName}. Remove one first.`);
  }
  const now = deps.clock.now();
  return deps.store.savePreset({ id: newId("pre", now), subject, name, value, now });
}
