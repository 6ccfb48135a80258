import { asc, inArray } from "drizzle-orm";
import type { ContentKeyStore } from "../../ports/store/content-key-store.ts";
import type { StoreDatabase } from "./store-database.ts";

export type ContentKeyRows = Omit<ContentKeyStore, "findOldest">;

export function createContentKeyStore({ tables: { contentKey }, read, write }: StoreDatabase): ContentKeyRows {
  return {
    listUsedContentKeys: () =>
      read(function* ({ db, rows }) {
        return yield* rows(db.select().from(contentKey).orderBy(asc(contentKey.since), asc(contentKey.id)));
      }),
    saveUsedContentKeys: ({ changed, forgotten }) =>
      write(function* ({ db, run }) {
        for (const { id, since, retiredAt } of changed)
          yield* run(
            db
              .insert(contentKey)
              .values({ id, since, retiredAt })
              .onConflictDoUpdate({ target: contentKey.id, set: { retiredAt } }),
          );
        if (forgotten.length > 0) yield* run(db.delete(contentKey).where(inArray(contentKey.id, [...forgotten])));
      }),
  };
}
