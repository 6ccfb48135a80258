import { getTableName, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { planCopy } from "../copy/copy-plan.ts";
import * as schema from "../postgres/schema.ts";
import type { Connection } from "../sqlite/open-connection.ts";

const texts = [
  "plain",
  "\0zero",
  "\ufffemark\ufffe0000",
  "日本 😀",
  " ",
  "\u0001\uffff'\"\\",
  "\ufffe",
  "x".repeat(3000),
];
const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/**
 * Rows in every table of the schema, also in one that is added tomorrow: whatever the database takes, whether or not
 * the store would write it.
 */
export function fillEveryTable(connection: Connection, rows: number): void {
  const tables = Object.values(schema).flatMap((table) => (is(table, PgTable) ? [table] : []));
  const kinds = new Map(
    planCopy().flatMap(({ name, columns }) => columns.map((column) => [`${name}.${column.name}`, column] as const)),
  );
  connection.transaction(() => {
    for (const { name } of planCopy()) {
      const table = tables.find((one) => getTableName(one) === name);
      if (table) fill(table);
    }
  })();

  function fill(table: PgTable): void {
    const { name, columns, foreignKeys } = getTableConfig(table);
    const known = columns.flatMap((column) => kinds.get(`${name}.${column.name}`) ?? []);
    const insert = connection.prepare(
      `INSERT INTO "${name}" (${known.map(({ inSqlite }) => inSqlite).join(", ")}) VALUES (${known.map(() => "?").join(", ")})`,
    );
    for (let row = 0; row < rows; row += 1) {
      insert.run(
        known.map(({ name: column, type }, at) => {
          const isKey = foreignKeys.some((key) => key.reference().columns.some((one) => one.name === column));
          const isOptional = columns.find((one) => one.name === column)?.notNull === false;
          if (isOptional && (row + at) % 3 === 0) return null;
          if (column === "verdicts" && type === "text")
            return JSON.stringify([
              { set: row + 1, actuals: {}, places: [0] },
              { trigger: `t${row}\0`, outcome: "matched" },
            ]);
          if (column === "counts") return "[]";
          if (type === "bytea") return Buffer.concat([allBytes, Buffer.from(String(row))]);
          if (type === "bool") return row % 2;
          if (type === "float8") return row / 7;
          // References are to the row of the same number.
          if (type === "text")
            return isKey
              ? `id ${row}`
              : column === "id"
                ? `id ${row}`
                : `${texts[(row + at) % texts.length] ?? ""} ${row}`;
          if (type === "int4") return 2 ** 31 - 1 - row;
          return isKey || column === "id" || column === "position" ? row + 1 : Number.MAX_SAFE_INTEGER - row;
        }),
      );
    }
  }
}
