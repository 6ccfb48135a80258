import { z } from "zod";
import { createNames } from "../sqlite/names.ts";
import type { Connection } from "../sqlite/file/open-connection.ts";
import type { CopiedTable } from "./copy-plan.ts";
import type { Value } from "./row.ts";
import { forms, shareInputSql, sharePayloadSql, type TableForm } from "./sqlite-forms.ts";
import { createTimelines } from "./sqlite-timelines.ts";
import { type Cursor, portionRows, type RawValue, type SqliteRows } from "./table-rows.ts";

export interface SqliteTables {
  of(table: CopiedTable): SqliteRows;
  /** Starts a write transaction. */
  begin(): void;
}

export function createSqliteTables(connection: Connection): SqliteTables {
  const names = createNames(connection);
  const opened = new Map<string, SqliteRows>();

  function open(table: CopiedTable): SqliteRows {
    if (table.name === "run_event") return createTimelines(connection, names, table);
    const form = forms.get(table.name);
    return form ? openNarrow(table, form) : openPlain(connection, table);
  }

  function openNarrow(table: CopiedTable, form: TableForm): SqliteRows {
    const columns = table.columns.map(({ name }) => {
      const found = form.columns[name];
      if (!found) throw new Error(`sqlite-forms.ts does not define ${table.name}.${name}.`);
      return { name, ...found };
    });
    const where = form.from.includes("WHERE") ? "AND" : "WHERE";
    const select = connection
      .prepare<unknown[], RawValue[]>(
        `SELECT ${[form.key, ...columns.map(({ sql }) => sql)].join(", ")} FROM ${form.from} ${where} ${form.key} > ? ORDER BY ${form.key} LIMIT ${portionRows}`,
      )
      .raw();
    const write = form.update ? prepareUpdate(form.update) : prepareInsert();

    function prepareUpdate({ sql, columns: bound }: NonNullable<TableForm["update"]>) {
      const statement = connection.prepare(sql);
      const at = bound.map((name) => columns.findIndex((one) => one.name === name));
      return (values: Value[]) => void statement.run(at.map((index) => values[index]));
    }

    function prepareInsert() {
      const into = columns.map((one) => one.into);
      const statement = connection.prepare(
        `INSERT INTO "${table.name}" (${into.map((one) => one.column).join(", ")}${table.name === "run" ? ", implied_entries" : ""})
         VALUES (${into.map(({ value }) => value).join(", ")}${table.name === "run" ? ", 0" : ""})`,
      );
      const share = table.name === "run" ? [shareInputSql, sharePayloadSql].map((sql) => connection.prepare(sql)) : [];
      return (values: Value[]) => {
        const { lastInsertRowid: seq } = statement.run(values);
        for (const one of share) one.run({ seq });
      };
    }

    return {
      count: () => connection.prepare<[], number>(`SELECT count(*) FROM ${form.from}`).pluck().get() ?? 0,
      *readAfter(after) {
        for (const [key, ...values] of select.iterate(after?.[0] ?? 0))
          yield {
            cursor: [Number(key)],
            row: values.map((value, at) => columns[at]?.read(value, names) ?? null),
          };
      },
      insert: (row) => write(row.map((value, at) => columns[at]?.write(value, names) ?? null)),
    };
  }

  return {
    of(table) {
      const rows = opened.get(table.name) ?? open(table);
      opened.set(table.name, rows);
      return rows;
    },
    begin: names.begin,
  };
}

/** A table that is the same in both databases. It is read by the numbers of its rows, or by its key if they have none. */
function openPlain(connection: Connection, { name, columns, primaryKey }: CopiedTable): SqliteRows {
  const isWithoutNumbers =
    connection.prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?").pluck().get(name) === 1;
  const key = isWithoutNumbers ? primaryKey.map((column) => `"${column}"`) : ["rowid"];
  const names = columns.map((column) => `"${column.name}"`);
  const read = (after: Cursor | null) => {
    const behind = after === null ? "" : `WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})`;
    return connection
      .prepare<unknown[], RawValue[]>(
        `SELECT ${[...key, ...names].join(", ")} FROM "${name}" ${behind} ORDER BY ${key.join(", ")} LIMIT ${portionRows}`,
      )
      .raw()
      .iterate(...(after ?? []));
  };
  const insert = connection.prepare(
    `INSERT INTO "${name}" (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  return {
    count: () => connection.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0,
    *readAfter(after) {
      for (const values of read(after))
        yield {
          cursor: cursorSchema.parse(values.slice(0, key.length)),
          row: values
            .slice(key.length)
            .map((value, at) => (columns[at]?.type === "bool" && value !== null ? value === 1 : value)),
        };
    },
    insert: (row) => void insert.run(row.map((value) => (typeof value === "boolean" ? Number(value) : value))),
  };
}

const cursorSchema = z.array(z.union([z.string(), z.number()]));
