import { z } from "zod";
import type { Connection } from "../sqlite/open-connection.ts";
import type { CopiedColumn, CopiedTable } from "./copy-plan.ts";
import type { Row, Value } from "./row.ts";
import { bytesOf, type Place, portionBytes, portionRows, type TableReader } from "./table-rows.ts";

type RawValue = Exclude<Value, boolean>;

/** Reads by the numbers of the rows, and a table that has none by its key. */
export function createSqliteReader(connection: Connection): Omit<TableReader, "close"> {
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

const placeSchema = z.array(z.union([z.string(), z.number()]));

function fromSqlite(value: RawValue, column: CopiedColumn | undefined): Value {
  return column?.type === "bool" && value !== null ? value === 1 : value;
}

export function toSqlite(value: Value): RawValue {
  return typeof value === "boolean" ? Number(value) : value;
}
