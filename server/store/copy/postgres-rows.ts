import { z } from "zod";
import type { Client } from "pg";
import { toPostgresText } from "../postgres/statements/text-encoding.ts";
import { type CopiedTable, storedColumns } from "./copy-plan.ts";
import type { Row } from "./row.ts";
import { portionBytes, portionRows, type Cursor, type TableReader } from "./table-rows.ts";

const cursorSchema = z.array(z.union([z.string(), z.number()]));

/** Reads in the order of the primary keys. */
export function createPostgresReader(client: Client, name: string): Omit<TableReader, "close"> {
  const numberOf = async (text: string, values: unknown[] = []) =>
    z
      .array(z.tuple([z.number().nullable()]))
      .parse((await client.query({ text, values, rowMode: "array" })).rows)[0]?.[0] ?? 0;
  return {
    name,
    countRows: (table) => numberOf(`SELECT count(*) FROM signalbox."${table.name}"`),
    async readPortion(table, after) {
      const values = after?.map((value) => (typeof value === "string" ? toPostgresText(value) : value)) ?? [];
      const keys = table.primaryKey.length;
      const { rows } = await client.query<Row[number][]>({
        text: portionSql(table, after),
        values: values.slice(0, keys),
        rowMode: "array",
      });
      const last = rows.at(-1);
      if (!last) return null;
      const cursor = cursorSchema.parse(last.slice(0, keys));
      if (!table.isNumbered) return { rows: rows.map((row) => row.slice(keys)), cursor };
      const numbered = numberRows(rows, after);
      const ordinal = numbered.at(-1) ?? 0;
      return { rows: rows.map((row, at) => [...row.slice(keys), numbered[at] ?? 0]), cursor: [...cursor, ordinal] };
    },
    async readCounter({ name: table, counter }) {
      if (counter === null) return 0;
      const [sequence] = z.array(z.tuple([z.string()])).parse(
        (
          await client.query({
            text: "SELECT pg_get_serial_sequence($1, $2)",
            values: [`signalbox."${table}"`, counter],
            rowMode: "array",
          })
        ).rows,
      );
      const given = await numberOf(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence?.[0] ?? ""}`);
      return Math.max(given, await numberOf(`SELECT max("${counter}") FROM signalbox."${table}"`));
    },
  };
}

/** The number of each row among the rows with the same first key; `after`: the previous row, with its number. */
function numberRows(rows: readonly Row[], after: Cursor | null): number[] {
  let [group, ordinal]: [Row[number] | undefined, number] = [after?.[0], Number(after?.at(-1) ?? 0)];
  return rows.map(([first]) => {
    ordinal = first === group ? ordinal + 1 : 1;
    group = first;
    return ordinal;
  });
}

/** Postgres knows the lengths of values without reading them, so it reads no more than a portion can have. */
function portionSql(table: CopiedTable, after: Cursor | null): string {
  const { name, primaryKey } = table;
  const columns = storedColumns(table);
  const key = primaryKey.map((column) => `"${column}"`).join(", ");
  const wanted = columns.map((column) => `"${column.name}"`).join(", ");
  const read = new Set([...primaryKey, ...columns.map((column) => column.name)].map((column) => `"${column}"`));
  const lengths = columns.flatMap((column) =>
    column.type === "text" || column.type === "bytea" ? [`coalesce(octet_length("${column.name}"), 0)`] : [],
  );
  const behind = after === null ? "" : `WHERE (${key}) > (${primaryKey.map((_, at) => `$${at + 1}`).join(", ")})`;
  return `
    SELECT ${key}, ${wanted} FROM (
      SELECT *, sum(copied_bytes) OVER (ORDER BY ${key}) - copied_bytes AS bytes_before FROM (
        SELECT ${[...read].join(", ")}, (${["0::bigint", ...lengths].join(" + ")}) AS copied_bytes FROM signalbox."${name}" ${behind} ORDER BY ${key} LIMIT ${portionRows}
      ) AS page
    ) AS sized WHERE bytes_before < ${portionBytes} ORDER BY ${key}`;
}
