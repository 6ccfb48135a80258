import type { Pool, PoolClient } from "pg";
import { isShared, settleTransactionSql } from "./connect.ts";
import { type Session, sessionOf } from "./session.ts";
import { isConnectionLost } from "./store-error.ts";

export interface TransactionMode {
  /** All statements see the store as it was at the first, and write nothing. */
  isSnapshot?: boolean;
  /** The commit does not wait for the disk: what it wrote may be lost where the database crashes, in the second before. */
  isSoon?: boolean;
  /** Called before the COMMIT. */
  committing?: () => void;
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
    const result = await verb(sessionOf(client));
    mode.committing?.();
    const { command } = await client.query("COMMIT");
    // An error that somebody swallowed: Postgres has taken everything back, and says so in one word only.
    if (command !== "COMMIT") throw new Error(`The transaction was not committed, but ended by ${command}.`);
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
  await beginAs(client, mode);
  if (isShared(client)) await client.query(settleTransactionSql);
}

async function beginAs(client: PoolClient, { isSnapshot, isSoon }: TransactionMode): Promise<void> {
  if (isSnapshot) await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  else if (isSoon) await client.query("BEGIN; SET LOCAL synchronous_commit = off");
  else
    await client.query(
      "BEGIN; SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
    );
}
