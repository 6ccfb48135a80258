import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";
import { AppError } from "../../contract/app-error.ts";
import { outOfTime } from "../shared/write-terms.ts";

/** The database gave no result in the time that the caller of a transaction waits. Its connection is not used again. */
export class TransactionTimeout extends Error {}

/**
 * Failures of the database, its disk or the network, not defects of this code. Codes begin with these prefixes
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

interface OpenProblem {
  /** Continues "… cannot be used as the store:". */
  problem: string;
  fix: string;
}

/** `code`: the beginning of a code of Postgres (appendix A), of the network or of TLS (Node). */
type KnownProblem = OpenProblem & { code: string };

/** Why a store cannot be opened, by the code of the server. */
const rejected: readonly KnownProblem[] = [
  {
    code: "28P01",
    problem: "the server rejects the user or the password",
    fix: "Correct the user and the password in SIGNALBOX_DATABASE_URL. Characters like @ : / # % in a password must be percent-encoded.",
  },
  {
    code: "28",
    problem: "the server does not allow this connection",
    fix: "Allow this user, database and machine in the server's pg_hba.conf, or set another user in SIGNALBOX_DATABASE_URL.",
  },
  {
    code: "3D",
    problem: "the database does not exist",
    fix: "Create it (createdb <name>), or correct its name in SIGNALBOX_DATABASE_URL.",
  },
  {
    code: "42501",
    problem: "the user may not create tables or schemas there, or not write them",
    fix: "As an administrator, create the schema for the user: CREATE SCHEMA signalbox AUTHORIZATION <user>. Or grant the user CREATE on the database.",
  },
  {
    code: "25006",
    problem: "the server is read-only, for example a replica",
    fix: "Set the address of the primary server in SIGNALBOX_DATABASE_URL.",
  },
  {
    code: "53300",
    problem: "the server has no connection left",
    fix: "Raise its max_connections, or run fewer processes. docs/scaling.md says how many connections a process uses.",
  },
];

/** By the code of the network or of TLS. The driver's own errors have none. */
const unreachable: readonly KnownProblem[] = [
  {
    code: "ECONNREFUSED",
    problem: "no server listens on that host and port",
    fix: "Start the server, or correct the host and the port in SIGNALBOX_DATABASE_URL.",
  },
  {
    code: "ENOENT",
    problem: "the socket does not exist",
    fix: "Start the server on this machine, or correct the folder of its socket in SIGNALBOX_DATABASE_URL.",
  },
  { code: "ENOTFOUND", problem: "the host does not exist", fix: "Correct the host in SIGNALBOX_DATABASE_URL." },
  {
    code: "EAI_AGAIN",
    problem: "the name of the host cannot be resolved at the moment",
    fix: "Check the DNS settings of this machine, then try again.",
  },
  {
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
    problem: "the server's certificate is for another host",
    fix: "Connect by a host name in the certificate. With sslmode=verify-ca in SIGNALBOX_DATABASE_URL, the name is not checked.",
  },
  {
    code: "CERT_HAS_EXPIRED",
    problem: "the server's certificate has expired",
    fix: "Install a new certificate on the server. If it is new, check the clock of this machine.",
  },
];

const untrusted: OpenProblem = {
  problem: "the server's certificate is not trusted",
  fix: "Add the certificate of its authority to SIGNALBOX_DATABASE_URL: sslmode=verify-full&sslrootcert=/path/to/ca.crt. With sslmode=require, the connection is encrypted, but the server is not verified.",
};

const unresponsive: OpenProblem = {
  problem: "the server does not respond",
  fix: "Check that the server is running, and that no firewall blocks this machine.",
};

const noTls: OpenProblem = {
  problem: "the server does not support TLS, but SIGNALBOX_DATABASE_URL requires it",
  fix: "Set up TLS on the server, or remove sslmode from SIGNALBOX_DATABASE_URL.",
};

const tlsRequired: OpenProblem = {
  problem: "the server does not allow this connection without TLS",
  fix: "Add sslmode=verify-full to SIGNALBOX_DATABASE_URL. If it is not allowed with TLS either, add it to the server's pg_hba.conf.",
};

const noAuthority: OpenProblem = {
  problem: "sslmode=verify-ca needs the certificate of an authority",
  fix: "Add it to SIGNALBOX_DATABASE_URL: sslrootcert=/path/to/ca.crt. With sslmode=verify-full, the authorities of Node are trusted.",
};

const noPassword: OpenProblem = {
  problem: "the server requires a password, and SIGNALBOX_DATABASE_URL has none",
  fix: "Add it: postgres://user:password@host/database.",
};

/**
 * Returns AppError `store_unavailable` for failures of the environment. Returns `not_found` for a row that refers to a
 * missing or removed one. Returns any other error unchanged.
 */
export function toStoreError(given: unknown): unknown {
  const error = unwrap(given);
  if (error instanceof AppError) return error;
  if (error instanceof TransactionTimeout) return outOfTime();
  if (codeOf(error) === "23503")
    return new AppError("not_found", "The row that this one refers to does not exist. Retention may have removed it.", {
      cause: error,
    });
  const known = detailOf(error, unavailable) ?? (isConnectionError(error) ? "The database cannot be reached." : null);
  return known === null ? error : new AppError("store_unavailable", known, { cause: error });
}

/**
 * Converts the error of a store that cannot be opened. `name`: of the database, without the password. No sender reads
 * it, so it includes the message of the server or of the network.
 */
export function toOpenError(given: unknown, name: string): unknown {
  if (given instanceof AppError) return given;
  const found = findOpenProblem(given);
  if (found)
    return new AppError("store_unusable", `${name} cannot be used as the store: ${found.problem}. (${saidBy(given)})`, {
      fix: found.fix,
      cause: given,
    });
  const detail = detailOf(given, unavailable);
  if (detail === null) return given;
  return new AppError("store_unusable", `${name} cannot be used as the store. ${detail} (${saidBy(given)})`, {
    fix: "Try again in a moment. If it stays, look into the log of the server.",
    cause: given,
  });
}

function findOpenProblem(error: unknown): OpenProblem | null {
  const code = codeOf(error);
  if (code?.startsWith("28") && error instanceof Error && /^no pg_hba\.conf entry.* no encryption$/.test(error.message))
    return tlsRequired;
  if (code !== null) return rejected.find((known) => code.startsWith(known.code)) ?? null;
  if (!(error instanceof Error)) return null;
  if (/does not support SSL/.test(error.message)) return noTls;
  if (error.message.startsWith("SASL")) return noPassword;
  if (error.message.includes("sslmode=verify-ca requires")) return noAuthority;
  const file = unreadableFileOf(error);
  if (file !== null)
    return {
      problem: `the file ${file} cannot be read`,
      fix: "Correct its path in SIGNALBOX_DATABASE_URL (sslrootcert, sslcert, sslkey), and its permissions.",
    };
  if (!isConnectionError(error)) return null;
  const networkCode = networkCodeOf(error);
  return (
    unreachable.find((known) => known.code === networkCode) ?? (isOfCertificate(networkCode) ? untrusted : unresponsive)
  );
}

/** A certificate or a key of the URL. */
function unreadableFileOf(error: Error): string | null {
  const { syscall, path } = error as NodeJS.ErrnoException;
  return (syscall === "open" || syscall === "read") && path !== undefined ? path : null;
}

/** OpenSSL's reasons to reject a certificate, as Node names them. */
function isOfCertificate(code: string): boolean {
  return /CERT|SIGNATURE|ISSUER|CRL/.test(code);
}

function networkCodeOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(networkCodeOf).find((code) => code !== "") ?? "";
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** If a name has several addresses, Node reports one error without a message for all of them. */
function saidBy(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(saidBy).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** Whether another try, alone, may succeed: nothing was committed, and the connection works. */
export function isConflict(error: unknown): boolean {
  return codeOf(error)?.startsWith("40") ?? false;
}

/** The classes of the codes of errors in the data of a row: what it contains, its constraints, its size, its triggers. */
const ofRows = ["21", "22", "23", "44", "54", "P0"];

/**
 * True if the data of one row is the cause, so other rows can be written. Timeouts of locks and statements, conflicts,
 * lost connections and every other failure of the server concern all of them.
 */
export function isOfOneRow(error: unknown): boolean {
  if (isConflict(error) || isConnectionError(unwrap(error))) return false;
  const code = codeOf(error);
  return code === null || ofRows.some((known) => code.startsWith(known));
}

/** True if the connection cannot be used any more. */
export function isConnectionLost(error: unknown): boolean {
  return isConnectionError(unwrap(error));
}

function unwrap(error: unknown): unknown {
  return error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
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

/** Errors of the driver and of Node. The driver's own errors have no code. */
function isConnectionError(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  if (!(error instanceof Error)) return false;
  if (error instanceof TransactionTimeout) return true;
  if ("code" in error && typeof error.code === "string")
    return networkCodes.has(error.code) || isOfCertificate(error.code);
  return /^(Connection terminated|Query read timeout|timeout exp|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Client network socket|The server does not support SSL)/.test(
    error.message,
  );
}
