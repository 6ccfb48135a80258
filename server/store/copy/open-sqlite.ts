import { existsSync } from "node:fs";
import { runStatusCodes } from "../../domain/stored-codes.ts";
import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { migrationsFolder } from "../../paths.ts";
import { systemClock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import { copyMark } from "../shared/migration-journal.ts";
import { rebuildListIndex } from "../sqlite/lists/list-index.ts";
import { migrate, readSchemaVersion } from "../sqlite/file/migrate.ts";
import { type Connection, openConnection } from "../sqlite/file/open-connection.ts";
import { rejectDamagedFile } from "../sqlite/file/reject-damaged-file.ts";
import { isBusy, toOpenError } from "../sqlite/store-error.ts";
import { beginCopy, type CopyNotes, type CopyOrigin } from "./copy-notes.ts";
import type { CopiedTable } from "./copy-plan.ts";
import type { Row } from "./row.ts";
import { createSqliteTables, type SqliteTables } from "./sqlite-tables.ts";
import {
  bytesOf,
  type CopySource,
  type CopyTarget,
  type Cursor,
  portionBytes,
  portionRows,
  type TableReader,
} from "./table-rows.ts";

/**
 * Opens a file for exclusive access: no other process can open it until it is closed. Rejects with AppError
 * `store_unusable` if another process has it open, or if it has another version.
 */
export async function openSqliteSource(file: string): Promise<CopySource> {
  if (!existsSync(file))
    throw new AppError("store_unusable", `The store ${file} does not exist: there is nothing to copy.`, {
      fix: "Correct --from.",
    });
  return openExclusively(file, (connection) => {
    const { applied, known } = readSchemaVersion(connection, migrationsFolder("sqlite"));
    if (applied < known)
      throw new AppError("store_unusable", `${file} was written by an older Signalbox.`, {
        fix: `Migrate it first: \`signalbox store migrate --to file:${file}\`.`,
      });
    const identity = z
      .number()
      .parse(connection.prepare("SELECT applied_at FROM schema_migration ORDER BY position LIMIT 1").pluck().get());
    return {
      ...createSqliteReader(connection, createSqliteTables(connection)),
      identity: String(identity),
      close: async () => void connection.close(),
    };
  });
}

/**
 * The same for the target, which is created if it is missing. Rejects if it is neither empty nor the target of an
 * interrupted copy of the same source.
 */
export async function openSqliteTarget(
  file: string,
  p: { origin: CopyOrigin; tables: readonly CopiedTable[] },
): Promise<CopyTarget> {
  return openExclusively(file, async (connection) => {
    const notes = notesOf(connection);
    const progress = await beginCopy({
      ...p,
      reader: { name: connection.name, countRows: async (table) => createSqliteTables(connection).of(table).count() },
      notes,
      migrate: () =>
        void migrate(connection, { folder: migrationsFolder("sqlite"), clock: systemClock, logger: silentLogger }),
    });
    const tables = createSqliteTables(connection);
    const reader = createSqliteReader(connection, tables);
    return {
      ...reader,
      takesLoneSurrogates: false,
      progress,
      write: async (table, rows, done) =>
        connection.transaction(() => {
          tables.begin();
          const target = tables.of(table);
          for (const row of rows) target.insert(row);
          putNote(connection, table.name, JSON.stringify(done));
        })(),
      finish: async (counters) => {
        rebuildListIndex(connection);
        connection.transaction(() => {
          for (const [{ name, counter }, highest] of counters)
            if (counter !== null && highest > 0 && neverReuses(connection, name)) setCounter(connection, name, highest);
          // The workers of running runs have stopped.
          connection.prepare("UPDATE run SET lease_until = 0 WHERE status = ?").run(runStatusCodes.running);
          connection.exec("DROP TABLE store_copy");
          connection.prepare("DELETE FROM schema_migration WHERE position = ?").run(copyMark.position);
        })();
      },
      close: async () => void connection.close(),
    };
  });
}

function notesOf(connection: Connection): CopyNotes {
  const has = (table: string) =>
    connection.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined;
  return {
    hasSchema: async () => has("schema_migration"),
    hasTables: async () =>
      connection
        .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        .get() !== undefined,
    applied: async () =>
      z.array(z.string()).parse(connection.prepare("SELECT tag FROM schema_migration ORDER BY position").pluck().all()),
    folder: migrationsFolder("sqlite"),
    begin: async (origin) =>
      connection.transaction(() => {
        connection
          .prepare("INSERT INTO schema_migration (position, tag, applied_at) VALUES (?, ?, 0)")
          .run(copyMark.position, copyMark.tag);
        connection.exec("CREATE TABLE store_copy (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
        putNote(connection, "", origin);
      })(),
    list: async () =>
      new Map(
        connection
          .prepare<[], { name: string; value: string }>("SELECT name, value FROM store_copy")
          .all()
          .map(({ name, value }) => [name, value]),
      ),
  };
}

function putNote(connection: Connection, name: string, value: string): void {
  connection
    .prepare(
      "INSERT INTO store_copy (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .run(name, value);
}

function neverReuses(connection: Connection, table: string): boolean {
  const sql = connection.prepare<unknown[], string>("SELECT sql FROM sqlite_master WHERE name = ?").pluck().get(table);
  return sql?.includes("AUTOINCREMENT") ?? false;
}

function setCounter(connection: Connection, name: string, highest: number): void {
  const { changes } = connection.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(highest, name);
  if (changes === 0) connection.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, highest);
}

async function openExclusively<End>(file: string, open: (connection: Connection) => End | Promise<End>): Promise<End> {
  try {
    const connection = await openConnection(file, { isExclusive: true });
    try {
      rejectDamagedFile(connection);
      return await open(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    if (isBusy(error))
      throw new AppError("store_unusable", `${file} is in use by another process.`, {
        fix: "Stop the service and every other process that has the file open.",
        cause: error,
      });
    throw toOpenError(error, file);
  }
}

function createSqliteReader(connection: Connection, tables: SqliteTables): Omit<TableReader, "close"> {
  return {
    name: connection.name,
    countRows: async (table) => tables.of(table).count(),
    async readPortion(table, after) {
      const rows: Row[] = [];
      let cursor: Cursor = [];
      let bytes = 0;
      for (const one of tables.of(table).readAfter(after)) {
        rows.push(one.row);
        cursor = one.cursor;
        bytes += bytesOf(one.row);
        if (bytes >= portionBytes || rows.length === portionRows) break;
      }
      return rows.length === 0 ? null : { rows, cursor };
    },
    async readCounter({ name, counter }) {
      if (counter === null) return 0;
      // If the numbers of a table are never reused, SQLite stores the highest one also after its row is removed.
      const sequence =
        connection.prepare<unknown[], number>("SELECT seq FROM sqlite_sequence WHERE name = ?").pluck().get(name) ?? 0;
      const highest = connection.prepare<[], number | null>(`SELECT max(rowid) FROM "${name}"`).pluck().get() ?? 0;
      return Math.max(sequence, highest);
    },
  };
}
