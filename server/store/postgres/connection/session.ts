import { drizzle, type PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import type { ClientBase, Pool, QueryResultRow } from "pg";
import { isShared } from "./connect.ts";
import { toPostgresText } from "../statements/text-encoding.ts";

/** Runs statements on one connection, or on any of a pool. */
export interface Session {
  db: PgRemoteDatabase;
  /** The same for a few queries that are read often: each connection prepares them once. */
  preparedDb: PgRemoteDatabase;
  /**
   * Set it in a transaction that concerns the run hosts of other processes. Runs are due at some time, or the
   * cancellation of an active one was requested.
   */
  concernsHosts: boolean;
  /** Runs a statement. Each connection prepares it once, so its text must be one of a few. */
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The same for a statement without a result. Returns the number of changed rows. */
  change(text: string, values?: readonly unknown[]): Promise<number>;
  /** Runs statements that are not prepared, e.g. those of a migration. */
  run(statements: string): Promise<void>;
}

const names = new Map<string, string>();
type Executor = Pick<Pool | ClientBase, "query">;

const sessions = new WeakMap<Executor, Session>();

export function sessionOf(client: Executor): Session {
  const known = sessions.get(client);
  if (known) return known;
  const query = <Row extends object>(text: string, values: readonly unknown[]) =>
    client.query<Row & QueryResultRow>({
      // A prepared statement stays with its connection.
      ...(isShared(client) ? {} : { name: nameOf(text) }),
      text,
      values: values.map(toParameter),
    });
  const createDrizzle = (describe: (text: string) => { text: string; name?: string }) =>
    drizzle(async (text, params: unknown[], method) => {
      const query = { ...describe(text), values: params.map(toParameter) };
      const result = method === "all" ? await client.query({ ...query, rowMode: "array" }) : await client.query(query);
      return { rows: result.rows };
    });
  const session: Session = {
    concernsHosts: false,
    db: createDrizzle((text) => ({ text })),
    preparedDb: createDrizzle((text) => ({ text, ...(isShared(client) ? {} : { name: nameOf(text) }) })),
    rows: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await query<Row>(text, values)).rows,
    change: async (text, values = []) => (await query(text, values)).rowCount ?? 0,
    run: async (statements) => void (await client.query(statements)),
  };
  sessions.set(client, session);
  return session;
}

function nameOf(text: string): string {
  const name = names.get(text) ?? `signalbox_${names.size}`;
  names.set(text, name);
  return name;
}

function toParameter(value: unknown): unknown {
  if (typeof value === "string") return toPostgresText(value);
  return Array.isArray(value) ? value.map(toParameter) : value;
}
