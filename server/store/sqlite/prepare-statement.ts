import type { Connection } from "./open-connection.ts";
import { readParametersOf } from "./prepare-insert.ts";

export interface PreparedStatement {
  /** How many rows it changed. */
  run(values: Record<string, unknown>): number;
  /** The first row, as SQLite has it: a value for each column, in their order. */
  get(values: Record<string, unknown>): unknown;
  /** All rows, as SQLite has them. */
  all(values: Record<string, unknown>): unknown[];
}

/** Prepares any statement once, as prepareInsert does; its parameters are placeholders, and rows come unmapped. */
export function prepareStatement(
  connection: Connection,
  query: { toSQL(): { sql: string; params: unknown[] } },
): PreparedStatement {
  const { sql, params } = query.toSQL();
  const read = readParametersOf(params);
  const statement = connection.prepare(sql);
  if (statement.reader) statement.raw();
  return {
    run: (values) => statement.run(read(values)).changes,
    get: (values) => statement.get(read(values)),
    all: (values) => statement.all(read(values)),
  };
}
