import type Database from "better-sqlite3";
import { AppError } from "../../../contract/app-error.ts";

/** A table or a view, unless the file has our migrations. */
const foreignSql = `
  SELECT name FROM sqlite_master
  WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    AND NOT EXISTS (SELECT 1 FROM pragma_table_info('schema_migration') WHERE name = 'tag')
  ORDER BY name LIMIT 1`;

/** Throws AppError `store_unusable` if the file is the database of another program. It only reads. */
export function rejectForeignFile(connection: Database.Database): void {
  const name = connection.prepare<[], string>(foreignSql).pluck().get();
  if (name === undefined) return;
  throw new AppError(
    "store_unusable",
    `${connection.name} cannot be used as the store: it is the database of another program, for example with ${name}.`,
    { fix: "Set SIGNALBOX_DATABASE_URL to another file: the store creates it." },
  );
}
