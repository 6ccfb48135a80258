import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import { createPool, databaseName } from "./connection/connect.ts";
import { migrate } from "./migrate.ts";
import { toOpenError } from "./store-error.ts";

/** Migrates a database. Returns the migrations that were applied now. */
export async function migrateDatabase({
  url,
  ...p
}: {
  url: string;
  folder: string;
  clock: Clock;
  logger: Logger;
}): Promise<string[]> {
  const name = databaseName(url);
  const pool = createPool(url, { max: 1, logger: p.logger, isPatient: true });
  try {
    return await migrate(pool, { ...p, name });
  } catch (error) {
    throw toOpenError(error, name);
  } finally {
    await pool.end();
  }
}
