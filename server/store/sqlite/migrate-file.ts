import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import { migrate } from "./migrate.ts";
import { openConnection } from "./open-connection.ts";
import { refuseDamagedFile } from "./refuse-damaged-file.ts";
import { toOpenError } from "./store-error.ts";

/** Brings a file, made where it is missing, up to date. Gives the migrations that were applied now. */
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
      refuseDamagedFile(connection);
      return migrate(connection, p);
    } finally {
      connection.close();
    }
  } catch (error) {
    throw toOpenError(error, file);
  }
}
