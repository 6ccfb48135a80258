import { and, asc, eq } from "drizzle-orm";
import type { PresetStore } from "../../ports/store.ts";
import { toPreset } from "../shared/preset-shapes.ts";
import type { SqliteDatabase } from "./database.ts";
import { preset } from "./schema.ts";

export function createPresetStore({ db, changed, read, write }: SqliteDatabase): PresetStore {
  return {
    listPresets: ({ kind, slug }) =>
      read(() =>
        db
          .select()
          .from(preset)
          .where(and(eq(preset.subjectKind, kind), eq(preset.subjectSlug, slug)))
          .orderBy(asc(preset.name))
          .all()
          .map(toPreset),
      ),
    savePreset: ({ id, subject, name, value, now }) =>
      write(() => {
        changed();
        const row = {
          id,
          subjectKind: subject.kind,
          subjectSlug: subject.slug,
          name,
          savedAt: now,
          value: JSON.stringify(value),
        };
        db.delete(preset)
          .where(and(eq(preset.subjectKind, subject.kind), eq(preset.subjectSlug, subject.slug), eq(preset.name, name)))
          .run();
        return toPreset(db.insert(preset).values(row).returning().get());
      }),
    removePreset: (id) =>
      write(() => {
        changed();
        return db.delete(preset).where(eq(preset.id, id)).run().changes > 0;
      }),
  };
}
