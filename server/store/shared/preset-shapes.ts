import { jsonSchema } from "../../contract/json.ts";
import type { Preset, PresetSubject } from "../../contract/preset.ts";
import { toIso } from "./iso-time.ts";

export interface PresetRow {
  id: string;
  subjectKind: PresetSubject["kind"];
  subjectSlug: string;
  name: string;
  savedAt: number;
  value: string;
}

export function toPreset({ id, subjectKind, subjectSlug, name, savedAt, value }: PresetRow): Preset {
  return {
    id,
    subject: { kind: subjectKind, slug: subjectSlug },
    name,
    value: jsonSchema.parse(JSON.parse(value)),
    savedAt: toIso(savedAt),
  };
}
