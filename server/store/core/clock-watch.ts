import { eq } from "drizzle-orm";
import type { UpkeepStore } from "../../ports/store/upkeep-store.ts";
import type { StoreDatabase } from "./store-database.ts";

export type ClockWatchRows = Pick<
  UpkeepStore,
  "readClockWatch" | "saveClockWatch" | "readRemovedBefore" | "saveRemovedBefore"
>;

const watchId = "clock";

export function createClockWatchStore({ tables: { clockWatch }, read, write }: StoreDatabase): ClockWatchRows {
  return {
    readClockWatch: () =>
      read(function* ({ db, rows }) {
        const [row] = yield* rows(db.select().from(clockWatch).where(eq(clockWatch.id, watchId)));
        if (!row) return null;
        const { seenAt, trustedAt, waitingSince } = row;
        return { seenAt, trustedAt, waitingSince };
      }),
    saveClockWatch: (watch) =>
      write(function* ({ db, run }) {
        yield* run(
          db
            .insert(clockWatch)
            .values({ id: watchId, ...watch })
            .onConflictDoUpdate({ target: clockWatch.id, set: watch }),
        );
      }),
    readRemovedBefore: () =>
      read(function* ({ db, rows }) {
        const [row] = yield* rows(db.select().from(clockWatch).where(eq(clockWatch.id, watchId)));
        return row?.removedBefore ?? 0;
      }),
    saveRemovedBefore: (removedBefore) =>
      write(function* ({ db, run }) {
        yield* run(db.update(clockWatch).set({ removedBefore }).where(eq(clockWatch.id, watchId)));
      }),
  };
}
