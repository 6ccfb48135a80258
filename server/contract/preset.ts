import { z } from "zod";
import { jsonSchema } from "./json.ts";

/** What a saved form belongs to: a trigger (its test events) or a target (its inputs). */
export const presetSubjectSchema = z.object({
  kind: z.enum(["trigger", "workflow", "agent"]),
  slug: z.string().min(1).max(64),
});

/** A body or an input that was saved under a name. Names are unique within their subject. */
const presetSchema = z.object({
  id: z.string(),
  subject: presetSubjectSchema,
  name: z.string(),
  value: jsonSchema,
  savedAt: z.iso.datetime(),
});

export type PresetSubject = z.infer<typeof presetSubjectSchema>;
export type Preset = z.infer<typeof presetSchema>;
