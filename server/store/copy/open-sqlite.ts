import { existsSync } from "node:fs";
import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { migrationsFolder } from "../../paths.ts";
import { systemClock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import { copyMark } from "../shared/migration-journal.ts";
import { migrate, readSchemaVersion } from "../sqlite/migrate.ts";
import { type Connection, openConnection } from "../sqlite/open-connection.ts";
import { refuseDamagedFile } from "../sqlite/refuse-damaged-file.ts";
import { isBusy, toOpenError } from "../sqlite/store-error.ts";
import { beginCopy, type CopyNotes, type CopyOrigin } from "./copy-notes.ts";
import type { CopiedColumn, CopiedTable } from "./copy-plan.ts";
import type { Row, Value } from "./row.ts";
import {
  bytesOf,
  type CopySource,
  type CopyTarget,
  type Place,
  portionBytes,
  portionRows,
  type TableReader,
} from "./table-rows.ts";

type RawValue = Exclude<Value, boolean>;

const placeSchema = z.array(z.union([z.string(), z.number()]));

/**
 * Nobody else can open the file until it is closed. Rejects with AppError `store_unusable` where somebody has, or where
 * it is of another version.
 */
export async function openSqliteSource(file: string): Promise<CopySource> {
  if (!existsSync(file))
    throw new AppError("store_unusable", `The store ${file} does not exist: there is nothing to copy.`);
  return openAlone(file, (connection) => {
    const { applied, known } = readSchemaVersion(connection, migrationsFolder("sqlite"));
    if (applied < known)
      throw new AppError(
        "store_unusable",
        `${file} was written by an older Signalbox. Migrate it first: \`signalbox store migrate --to file:${file}\`.`,
      );
    const identity = z
      .number()
      .parse(connection.prepare("SELECT applied_at FROM schema_migration ORDER BY position LIMIT 1").pluck().get());
    return {
      ...createSqliteReader(connection),
      identity: String(identity),
      close: async () => void connection.close(),
    };
  });
}

/**
 * The same for the store that is written, made where it is missing. Rejects where it is neither empty nor what a copy
 * of the same source began.
 */
export async function openSqliteTarget(
  file: string,
  p: { origin: CopyOrigin; tables: readonly CopiedTable[] },
): Promise<CopyTarget> {
  return openAlone(file, async (connection) => {
    const reader = createSqliteReader(connection);
    const notes = notesOf(connection);
    const progress = await beginCopy({
      ...p,
      reader,
      notes,
      migrate: () =>
        void migrate(connection, { folder: migrationsFolder("sqlite"), clock: systemClock, logger: silentLogger }),
    });
    return {
      ...reader,
      takesLoneSurrogates: false,
      progress,
      write: async (table, rows, done) =>
        connection.transaction(() => {
          const insert = connection.prepare(
            `INSERT INTO "${table.name}" (${table.columns.map(({ inSqlite }) => inSqlite).join(", ")}) VALUES (${table.columns.map(() => "?").join(", ")})`,
          );
          for (const row of rows) insert.run(row.map(toSqlite));
          putNote(connection, table.name, JSON.stringify(done));
        })(),
      finish: async (counters) =>
        connection.transaction(() => {
          for (const [{ name, counter }, highest] of counters)
            if (counter && counter.inSqlite !== "rowid" && highest > 0) setCounter(connection, name, highest);
          connection.exec("DROP TABLE store_copy");
          connection.prepare("DELETE FROM schema_migration WHERE position = ?").run(copyMark.position);
        })(),
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

function setCounter(connection: Connection, name: string, highest: number): void {
  const { changes } = connection.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(highest, name);
  if (changes === 0) connection.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, highest);
}

async function openAlone<End>(file: string, open: (connection: Connection) => End | Promise<End>): Promise<End> {
  try {
    const connection = await openConnection(file, { isAlone: true });
    try {
      refuseDamagedFile(connection);
      return await open(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    if (isBusy(error))
      throw new AppError(
        "store_unusable",
        `${file} is in use by another process. Stop the service and every other process that has the file open.`,
        { cause: error },
      );
    throw toOpenError(error, file);
  }
}

/** Reads by the numbers of the rows, and a table that has none by its key. */
function createSqliteReader(connection: Connection): Omit<TableReader, "close"> {
  const isWithoutNumbers = (name: string) =>
    connection.prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?").pluck().get(name) === 1;
  const keyOf = ({ name, primaryKey }: CopiedTable) =>
    isWithoutNumbers(name) ? primaryKey.map((column) => `"${column}"`) : ["rowid"];

  return {
    name: connection.name,
    countRows: async ({ name }) => connection.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0,
    async readPortion(table, after) {
      const key = keyOf(table);
      const wanted = [...key, ...table.columns.map(({ inSqlite }) => inSqlite)].join(", ");
      const behind = after === null ? "" : `WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})`;
      const statement = connection
        .prepare<unknown[], RawValue[]>(
          `SELECT ${wanted} FROM "${table.name}" ${behind} ORDER BY ${key.join(", ")} LIMIT ${portionRows}`,
        )
        .raw();
      const rows: Row[] = [];
      let place: Place = [];
      let bytes = 0;
      for (const values of statement.iterate(...(after ?? []))) {
        const row = values.slice(key.length).map((value, at) => fromSqlite(value, table.columns[at]));
        rows.push(row);
        place = placeSchema.parse(values.slice(0, key.length));
        bytes += bytesOf(row);
        if (bytes >= portionBytes) break;
      }
      return rows.length === 0 ? null : { rows, place };
    },
    async readCounter({ name, counter }) {
      if (!counter) return 0;
      // Of a table whose numbers never come again, SQLite remembers the highest also after its row is gone.
      const remembered =
        connection.prepare<unknown[], number>("SELECT seq FROM sqlite_sequence WHERE name = ?").pluck().get(name) ?? 0;
      const highest =
        connection.prepare<[], number | null>(`SELECT max(${counter.inSqlite}) FROM "${name}"`).pluck().get() ?? 0;
      return Math.max(remembered, highest);
    },
  };
}

function fromSqlite(value: RawValue, column: CopiedColumn | undefined): Value {
  return column?.type === "bool" && value !== null ? value === 1 : value;
}

function toSqlite(value: Value): RawValue {
  return typeof value === "boolean" ? Number(value) : value;
}
