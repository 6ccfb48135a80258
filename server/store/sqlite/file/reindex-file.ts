import { AppError } from "../../../contract/app-error.ts";
import { migrationsFolder } from "../../../paths.ts";
import { rebuildListIndex } from "../lists/list-index.ts";
import { readSchemaVersion } from "./migrate.ts";
import { openConnection } from "./open-connection.ts";
import { rejectDamagedFile } from "./reject-damaged-file.ts";
import { toOpenError } from "../store-error.ts";

/**
 * Rebuilds the list index of a file. The service can run meanwhile. Returns the number of rows in the index. Throws
 * AppError `store_unusable` if the file is damaged or has another version.
 */
export async function reindexFile(file: string): Promise<number> {
  try {
    const connection = await openConnection(file);
    try {
      rejectDamagedFile(connection);
      const { applied, known } = readSchemaVersion(connection, migrationsFolder("sqlite"));
      if (applied < known)
        throw new AppError("store_unusable", `${file} was written by an older Signalbox.`, {
          fix: "Migrate it first: `signalbox store migrate`.",
        });
      rebuildListIndex(connection);
      const count = "SELECT (SELECT count(*) FROM delivery_list) + (SELECT count(*) FROM run_list)";
      return connection.prepare<[], number>(count).pluck().get() ?? 0;
    } finally {
      connection.close();
    }
  } catch (error) {
    throw toOpenError(error, file);
  }
}
