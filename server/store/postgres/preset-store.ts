import { and, asc, eq } from "drizzle-orm";
import type { PresetStore } from "../../ports/store.ts";
import { toPreset } from "../shared/preset-shapes.ts";
import type { PostgresDatabase } from "./database.ts";
import { preset } from "./schema.ts";

export function createPresetStore({ read, write }: PostgresDatabase): PresetStore {
  return {
    listPresets: ({ kind, slug }) =>
      read(async ({ db }) => {
        const rows = await db
          .select()
          .from(preset)
          .where(and(eq(preset.subjectKind, kind), eq(preset.subjectSlug, slug)))
          .orderBy(asc(preset.name));
        return rows.map(toPreset);
      }),
    savePreset: ({ id, subject, name, value, now }) =>
      write(async ({ db }) => {
        const row = {
          id,
          subjectKind: subject.kind,
          subjectSlug: subject.slug,
          name,
          savedAt: now,
          value: JSON.stringify(value),
        };
        const target = [preset.subjectKind, preset.subjectSlug, preset.name];
        const [saved] = await db
          .insert(preset)
          .values(row)
          .onConflictDoUpdate({ target, set: { id, savedAt: now, value: row.value } })
          .returning();
        if (!saved) throw new Error("A preset was not written.");
        return toPreset(saved);
      }),
    removePreset: (id) =>
      write(
        async ({ db }) => (await db.delete(preset).where(eq(preset.id, id)).returning({ id: preset.id })).length > 0,
      ),
  };
}
