import { and, asc, eq } from "drizzle-orm";
import { jsonSchema } from "../../contract/json.ts";
import type { Preset } from "../../contract/preset.ts";
import type { PresetStore } from "../../ports/store.ts";
import { toIso } from "../shared/iso-time.ts";
import type { StoreDatabase } from "./store-database.ts";
import type { CoreTables } from "./tables.ts";

export function createPresetStore({ tables: { preset }, read, write }: StoreDatabase): PresetStore {
  return {
    listPresets: ({ kind, slug }) =>
      read(function* ({ db, rows }) {
        const isOfSubject = and(eq(preset.subjectKind, kind), eq(preset.subjectSlug, slug));
        const found = yield* rows(db.select().from(preset).where(isOfSubject).orderBy(asc(preset.name)));
        return found.map(toPreset);
      }),
    savePreset: ({ id, subject: { kind, slug }, name, value, now }) =>
      write(function* ({ db, rows, changed }) {
        const change = { id, savedAt: now, value: JSON.stringify(value) };
        const [saved] = yield* rows(
          db
            .insert(preset)
            .values({ ...change, subjectKind: kind, subjectSlug: slug, name })
            .onConflictDoUpdate({ target: [preset.subjectKind, preset.subjectSlug, preset.name], set: change })
            .returning(),
        );
        if (!saved) throw new Error("The preset was not saved");
        changed("presets");
        return toPreset(saved);
      }),
    removePreset: (id) =>
      write(function* ({ db, rows, changed }) {
        const removed = yield* rows(db.delete(preset).where(eq(preset.id, id)).returning({ id: preset.id }));
        if (removed.length > 0) changed("presets");
        return removed.length > 0;
      }),
  };
}

function toPreset(row: CoreTables["preset"]["$inferSelect"]): Preset {
  return {
    id: row.id,
    subject: { kind: row.subjectKind, slug: row.subjectSlug },
    name: row.name,
    value: jsonSchema.parse(JSON.parse(row.value)),
    savedAt: toIso(row.savedAt),
  };
}
