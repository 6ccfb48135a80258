import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import { migrate } from "./migrate.ts";
import { openConnection } from "./open-connection.ts";
import { rejectDamagedFile } from "./reject-damaged-file.ts";
import { toOpenError } from "../store-error.ts";

/**
 * Migrates a file to the current schema, and creates it if it is missing. Returns the migrations that this call
 * applied.
 */
export async function migrateFile({
  file,
  ...p
}: {
  file: string;
  folder: string;
  clock: Clock;
  logger: Logger;
}): Promise<string[]> {
  try {
    const connection = await openConnection(file);
    try {
      rejectDamagedFile(connection);
      return migrate(connection, p);
    } finally {
      connection.close();
    }
  } catch (error) {
    throw toOpenError(error, file);
  }
}
