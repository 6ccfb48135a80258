import { is, Param, Placeholder } from "drizzle-orm";
import type { Connection } from "./open-connection.ts";

/** Says where one parameter comes from, and how SQLite takes it. */
type ReadParameter = (values: Record<string, unknown>) => unknown;

/**
 * Prepares an INSERT whose values are placeholders. Drizzle's own prepared statements look at the kind of every parameter each time, which
 * takes as long as SQLite does; here that is done once.
 */
export function prepareInsert(connection: Connection, query: { toSQL(): { sql: string; params: unknown[] } }): (values: Record<string, unknown>) => void {
  const { sql, params } = query.toSQL();
  const readers = params.map(readerOf);
  const statement = connection.prepare(sql);
  return (values) => {
    statement.run(readers.map((read) => read(values)));
  };
}

function readerOf(param: unknown): ReadParameter {
  if (!is(param, Param)) return () => param;
  const { value, encoder } = param;
  if (!is(value, Placeholder)) return () => encoder.mapToDriverValue(value);
  const { name } = value;
  return (values) => {
    const given = values[name];
    if (given === undefined) throw new Error(`No value is given for ${name}.`);
    return given === null ? null : encoder.mapToDriverValue(given);
  };
}
