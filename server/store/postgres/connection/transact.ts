import type { Pool, PoolClient } from "pg";
import { isShared, settleTransaction } from "./connect.ts";
import { type Session, sessionOf } from "./session.ts";
import { isConnectionLost } from "../store-error.ts";

export interface TransactionMode {
  /** All statements read one snapshot, and write nothing. */
  isSnapshot?: boolean;
  /** The commit does not wait for the disk: if the database crashes within a second, it can be lost. */
  isRelaxed?: boolean;
  /** The operation is one statement, which is a transaction of its own: no BEGIN and no COMMIT, as far as possible. */
  isOneStatement?: boolean;
  /** Called before the COMMIT. */
  committing?: () => void;
  /** Called after the COMMIT of a transaction that concerns other run hosts. */
  onConcernsHosts?: () => void;
}

/** Runs an operation in its own transaction. It is committed when the promise resolves. */
export async function transact<Result>(
  pool: Pool,
  operation: (session: Session) => Promise<Result>,
  mode: TransactionMode = {},
): Promise<Result> {
  const client = await pool.connect();
  // A pooler gives the settings of a transaction only to a transaction.
  const isPlain = mode.isOneStatement === true && !isShared(client);
  let isBroken = false;
  const lose = () => void (isBroken = true);
  client.on("error", lose);
  try {
    if (!isPlain) await begin(client, mode);
    const session = sessionOf(client);
    session.concernsHosts = false;
    if (isPlain) mode.committing?.();
    const result = await operation(session);
    if (!isPlain) await commit(client, mode);
    if (session.concernsHosts) mode.onConcernsHosts?.();
    return result;
  } catch (error) {
    // A lost connection would not answer this either, and the caller has waited long enough.
    if (isConnectionLost(error)) lose();
    else if (!isPlain) await client.query("ROLLBACK").catch(lose);
    throw error;
  } finally {
    client.off("error", lose);
    client.release(isBroken);
  }
}

async function commit(client: PoolClient, mode: TransactionMode): Promise<void> {
  mode.committing?.();
  const { command } = await client.query("COMMIT");
  // The operation caught an error of a statement. Postgres then rolls back, and reports only ROLLBACK.
  if (command !== "COMMIT") throw new Error(`The transaction was not committed, but ended by ${command}.`);
}

async function begin(client: PoolClient, mode: TransactionMode): Promise<void> {
  const { isSnapshot, isRelaxed } = mode;
  if (isSnapshot) await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  else if (isRelaxed) await client.query("BEGIN; SET LOCAL synchronous_commit = off");
  else await client.query("BEGIN");
  if (isShared(client)) await settleTransaction(client, { waitsForDisk: !isSnapshot && !isRelaxed });
}
