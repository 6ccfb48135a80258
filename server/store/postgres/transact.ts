import type { Pool, PoolClient } from "pg";
import { isShared, settleTransaction } from "./connect.ts";
import { type Session, sessionOf } from "./session.ts";
import { isConnectionLost } from "./store-error.ts";

export interface TransactionMode {
  /** All statements see the store as it was at the first, and write nothing. */
  isSnapshot?: boolean;
  /** The commit does not wait for the disk: what it wrote may be lost where the database crashes, in the second before. */
  isSoon?: boolean;
  /** Called before the COMMIT. */
  committing?: () => void;
  /** Called after the COMMIT of a transaction that concerns other run hosts. */
  onConcernsHosts?: () => void;
}

/** Runs a verb in a transaction of its own, which is committed when its promise resolves. */
export async function transact<Result>(
  pool: Pool,
  verb: (session: Session) => Promise<Result>,
  mode: TransactionMode = {},
): Promise<Result> {
  const client = await pool.connect();
  let isBroken = false;
  const lose = () => void (isBroken = true);
  client.on("error", lose);
  try {
    await begin(client, mode);
    const session = sessionOf(client);
    session.concernsHosts = false;
    const result = await verb(session);
    mode.committing?.();
    const { command } = await client.query("COMMIT");
    // An error that somebody swallowed: Postgres has taken everything back, and says so in one word only.
    if (command !== "COMMIT") throw new Error(`The transaction was not committed, but ended by ${command}.`);
    if (session.concernsHosts) mode.onConcernsHosts?.();
    return result;
  } catch (error) {
    // One that does not answer would not answer this either, and whoever waits has waited long enough.
    if (isConnectionLost(error)) lose();
    else await client.query("ROLLBACK").catch(lose);
    throw error;
  } finally {
    client.off("error", lose);
    client.release(isBroken);
  }
}

async function begin(client: PoolClient, mode: TransactionMode): Promise<void> {
  const { isSnapshot, isSoon } = mode;
  if (isSnapshot) await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  else if (isSoon) await client.query("BEGIN; SET LOCAL synchronous_commit = off");
  else await client.query("BEGIN");
  if (isShared(client)) await settleTransaction(client, { waitsForDisk: !isSnapshot && !isSoon });
}
