import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";
import { AppError } from "../../contract/app-error.ts";

/**
 * What the database, its disk or the network does to us, as opposed to a defect of ours. Codes begin with these
 * (Postgres, appendix A).
 */
const unavailable: readonly (readonly [prefix: string, detail: string])[] = [
  ["08", "The connection to the database was lost."],
  ["40", "The transaction conflicted with a concurrent one."],
  ["53100", "The disk of the database is full."],
  ["53300", "The database has no connection left. Raise its max_connections."],
  ["53", "The database has run out of memory or disk."],
  ["55P03", "The database is busy: another process held a lock for too long."],
  ["57014", "The database canceled the statement: it took too long."],
  ["57", "The database is shutting down or starting, or it closed the connection."],
  ["58", "The disk of the database cannot be read or written."],
  ["25006", "The database cannot be written: it is a read-only replica."],
  ["25P03", "The database closed the connection: it was idle for too long."],
];

/** What no waiting helps against. */
const unusable: readonly (readonly [prefix: string, detail: string])[] = [
  ["28", "It rejects the user, the password or this machine (pg_hba.conf)."],
  ["3D", "There is no such database. Create it: createdb <name>."],
  [
    "42501",
    "The user lacks the privileges to create or write tables. Grant them, or make the user the owner of the database.",
  ],
  ["3F", "Its search_path has no schema in which tables can be created."],
  ["53300", "It has no connection left. Raise its max_connections, or run fewer processes."],
];

/** By what the network says (Node's codes). The driver's own words have none. */
const unreachable: readonly (readonly [code: string, detail: string])[] = [
  ["ECONNREFUSED", "Nothing listens on that host and port. Is the server running?"],
  ["ENOENT", "There is no such socket. Is the server running on this machine?"],
  ["ENOTFOUND", "The host does not exist."],
  ["EAI_AGAIN", "Its host name cannot be resolved at the moment."],
  ["", "It does not respond. Is the server running, and does a firewall block this machine?"],
];

/**
 * Gives an AppError: `store_unavailable` for what the store cannot help, `not_found` for a row that refers to one which
 * is not there, or was removed meanwhile. Anything else as the driver gave it.
 */
export function toStoreError(given: unknown): unknown {
  const error = unwrap(given);
  if (error instanceof AppError) return error;
  if (codeOf(error) === "23503")
    return new AppError("not_found", "The row that this one refers to does not exist. Retention may have removed it.", {
      cause: error,
    });
  const known = detailOf(error, unavailable) ?? (isConnectionTrouble(error) ? "The database cannot be reached." : null);
  return known === null ? error : new AppError("store_unavailable", known, { cause: error });
}

/**
 * The same for a store that cannot be opened: no sender reads it, so it names the database (without its password), and
 * what the server or the network said.
 */
export function toOpenError(given: unknown, name: string): unknown {
  if (given instanceof AppError) return given;
  const detail = detailOf(given, unusable) ?? detailOf(given, unavailable) ?? describeUnreachable(given);
  if (detail === null) return given;
  return new AppError(
    "store_unusable",
    `${name} cannot be used as the store. ${detail} Check DATABASE_URL. (${saidBy(given)})`,
    { cause: given },
  );
}

function describeUnreachable(error: unknown): string | null {
  if (error instanceof Error && /does not support SSL/.test(error.message))
    return "It does not support TLS, but the URL requires it. Set up TLS on the server, or remove sslmode from the URL.";
  if (error instanceof Error && error.message.startsWith("SASL"))
    return "It requires a password, and the URL has none, or not a valid one.";
  if (!isConnectionTrouble(error)) return null;
  const code = networkCodeOf(error);
  return unreachable.find(([known]) => known === code)?.[1] ?? unreachable.at(-1)?.[1] ?? null;
}

function networkCodeOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(networkCodeOf).find((code) => code !== "") ?? "";
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Node tells of a name with several addresses in one error without words. */
function saidBy(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(saidBy).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** Whether trying again, alone, may help: nothing was committed, and the connection is sound. */
export function isConflict(error: unknown): boolean {
  return codeOf(error)?.startsWith("40") ?? false;
}

/**
 * The store as a whole cannot be used now, whatever the row: neither for a conflict with others, nor for a lock that
 * one waits for in vain.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AppError || isConflict(error) || isLocked(error)) return false;
  const known = toStoreError(error);
  return known instanceof AppError && known.code === "store_unavailable";
}

/** Nothing can be asked over this connection any more. */
export function isConnectionLost(error: unknown): boolean {
  return isConnectionTrouble(unwrap(error));
}

function unwrap(error: unknown): unknown {
  return error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
}

function isLocked(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

function codeOf(error: unknown): string | null {
  if (error instanceof DatabaseError) return error.code ?? null;
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : null;
}

function detailOf(error: unknown, table: readonly (readonly [prefix: string, detail: string])[]): string | null {
  const code = codeOf(error);
  return code === null ? null : (table.find(([prefix]) => code.startsWith(prefix))?.[1] ?? null);
}

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);

/** Of the driver and of Node. The driver's own have no code. */
function isConnectionTrouble(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionTrouble);
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string") return networkCodes.has(error.code);
  return /^(Connection terminated|Query read timeout|timeout exp|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Client network socket|The server does not support SSL)/.test(
    error.message,
  );
}
