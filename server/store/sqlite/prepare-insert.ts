import { is, Param, Placeholder } from "drizzle-orm";
import type { Connection } from "./open-connection.ts";

/** Says where one parameter comes from, and how SQLite takes it. */
type ReadParameter = (values: Record<string, unknown>) => unknown;

/**
 * Prepares an INSERT whose values are placeholders. Drizzle's own prepared statements look at the kind of every
 * parameter each time, which takes as long as SQLite does; here that is done once.
 */
export function prepareInsert(
  connection: Connection,
  query: { toSQL(): { sql: string; params: unknown[] } },
): (values: Record<string, unknown>) => void {
  const { sql, params } = query.toSQL();
  const read = readParametersOf(params);
  const statement = connection.prepare(sql);
  return (values) => {
    statement.run(read(values));
  };
}

/** From named values to what SQLite is given, in the order of the parameters. */
export function readParametersOf(params: readonly unknown[]): (values: Record<string, unknown>) => unknown[] {
  const readers = params.map(readerOf);
  return (values) => readers.map((read) => read(values));
}

function readerOf(param: unknown): ReadParameter {
  if (is(param, Placeholder)) return (values) => readValue(values, param.name);
  if (!is(param, Param)) return () => param;
  const { value, encoder } = param;
  if (!is(value, Placeholder)) return () => encoder.mapToDriverValue(value);
  const { name } = value;
  return (values) => {
    const given = readValue(values, name);
    return given === null ? null : encoder.mapToDriverValue(given);
  };
}

function readValue(values: Record<string, unknown>, name: string): unknown {
  const given = values[name];
  if (given === undefined) throw new Error(`No value is given for ${name}.`);
  return given;
}
