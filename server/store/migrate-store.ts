import { migrationsFolder } from "../paths.ts";
import type { Settings } from "../config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { readJournal } from "./shared/migration-journal.ts";

export interface MigratedStore {
  /** The file, or the database without its password. */
  store: string;
  /** What was applied now; what others applied meanwhile is not among it. */
  applied: string[];
  /** The migration at which the store is. */
  at: string;
}

/**
 * Brings a store to this version's schema and leaves it closed, as a start does before it serves. Any number of
 * processes may do so at once: one does the work, the others wait for it. Rejects with AppError `store_unusable` where
 * a newer version wrote the store.
 */
export async function migrateStore(p: {
  database: Settings["database"];
  clock: Clock;
  logger: Logger;
}): Promise<MigratedStore> {
  const { database, clock, logger } = p;
  const folder = migrationsFolder(database.kind);
  const at = readJournal(folder).at(-1) ?? "";
  if (database.kind === "sqlite") {
    const { migrateFile } = await import("./sqlite/migrate-file.ts");
    return { store: database.file, applied: await migrateFile({ file: database.file, folder, clock, logger }), at };
  }
  // Loaded when it is needed: SQLite pays nothing for its driver.
  const [{ migrateDatabase }, { databaseName }] = await Promise.all([
    import("./postgres/migrate-database.ts"),
    import("./postgres/connect.ts"),
  ]);
  return {
    store: databaseName(database.url),
    applied: await migrateDatabase({ url: database.url, folder, clock, logger }),
    at,
  };
}
