import { pgTable, uniqueIndex } from "drizzle-orm/pg-core";
import type { PresetSubject } from "../../../contract/preset.ts";
import { text, whole } from "./columns.ts";

export const preset = pgTable(
  "preset",
  {
    id: text("id").primaryKey(),
    subjectKind: text("subject_kind").$type<PresetSubject["kind"]>().notNull(),
    subjectSlug: text("subject_slug").notNull(),
    name: text("name").notNull(),
    savedAt: whole("saved_at").notNull(),
    /** JSON `null` may be kept: it stands as the text "null". */
    value: text("value").notNull(),
  },
  (t) => [uniqueIndex("preset_by_name").on(t.subjectKind, t.subjectSlug, t.name)],
);

/** Triggers that are or were disabled. By slug, so that it outlives builds. */
export const triggerSwitch = pgTable("trigger_switch", {
  slug: text("slug").primaryKey(),
  disabledAt: whole("disabled_at"),
  reason: text("reason"),
  /** Grows with every change of any switch. */
  revision: whole("revision").notNull(),
});
