import { migrationsFolder } from "../paths.ts";
import type { Settings } from "../config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { readJournal } from "./shared/migration-journal.ts";

export interface MigratedStore {
  /** The file, or the database without its password. */
  store: string;
  /** The migrations that this call applied, without those of concurrent calls. */
  applied: string[];
  /** The newest migration of the store. */
  at: string;
}

/**
 * Migrates a store to this version's schema and closes it, as a start does before it serves. Safe to run concurrently
 * in several processes: one migrates, the others wait. Rejects with AppError `store_unusable` if a newer version wrote
 * the store.
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
    const { migrateFile } = await import("./sqlite/file/migrate-file.ts");
    return { store: database.file, applied: await migrateFile({ file: database.file, folder, clock, logger }), at };
  }
  // Loaded on first use, so that SQLite stores do not load the driver.
  const [{ migrateDatabase }, { databaseName }] = await Promise.all([
    import("./postgres/migrate-database.ts"),
    import("./postgres/connection/connect.ts"),
  ]);
  return {
    store: databaseName(database.url),
    applied: await migrateDatabase({ url: database.directUrl ?? database.url, folder, clock, logger }),
    at,
  };
}
