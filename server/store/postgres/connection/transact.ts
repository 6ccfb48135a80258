import type { Pool, PoolClient } from "pg";
import { resultBy } from "../../../domain/event-loop.ts";
import { isShared, maxStatementMs, settleTransaction } from "./connect.ts";
import { type Session, sessionOf } from "./session.ts";
import { isConnectionLost, TransactionTimeout } from "../store-error.ts";

export interface TransactionMode {
  /** All statements read one snapshot, and write nothing. */
  isSnapshot?: boolean;
  /** The commit does not wait for the disk: if the database crashes within a second, it can be lost. */
  isRelaxed?: boolean;
  /** The operation is one statement, which is a transaction of its own: no BEGIN and no COMMIT, as far as possible. */
  isOneStatement?: boolean;
  /** Called before the COMMIT. */
  committing?: () => void;
  /**
   * By `performance.now()`: when the transaction has ended at the latest. Without a COMMIT by then, it is rolled back.
   * Only if the COMMIT gives no result by then, it may still succeed. Default: as long as its statements need.
   */
  endBy?: number;
  /** Called after the COMMIT of a transaction that concerns other run hosts. */
  onConcernsHosts?: () => void;
}

/** The time for a COMMIT, at the end of a limited transaction. */
const commitMs = 1_000;

/** Runs an operation in its own transaction. It is committed when the promise resolves. */
export async function transact<Result>(
  pool: Pool,
  operation: (session: Session) => Promise<Result>,
  mode: TransactionMode = {},
): Promise<Result> {
  const { endBy = Infinity } = mode;
  const connecting = pool.connect();
  const client = await within(endBy - commitMs, connecting).catch((error: unknown) => {
    if (error instanceof TransactionTimeout)
      void connecting.then(
        (late) => late.release(),
        () => {},
      );
    throw error;
  });
  const isPlain = mode.isOneStatement === true && canBePlain(client, endBy);
  let isBroken = false;
  const lose = () => void (isBroken = true);
  client.on("error", lose);
  try {
    const session = sessionOf(client);
    session.concernsHosts = false;
    if (isPlain) mode.committing?.();
    const result = isPlain
      ? await within(endBy, operation(session))
      : await within(
          endBy - commitMs,
          begin(client, mode).then(() => operation(session)),
        );
    if (!isPlain) await within(endBy, commit(client, mode));
    if (session.concernsHosts) mode.onConcernsHosts?.();
    return result;
  } catch (error) {
    // A lost connection would not answer this either, and the caller has waited long enough.
    if (isConnectionLost(error)) lose();
    else if (!isPlain) await within(endBy, client.query("ROLLBACK")).catch(lose);
    throw error;
  } finally {
    client.off("error", lose);
    client.release(isBroken);
  }
}

/**
 * A pooler gives the settings of a transaction only to a transaction. A statement without BEGIN commits by itself: it
 * is sent only if the server ends it in time.
 */
function canBePlain(client: PoolClient, endBy: number): boolean {
  return !isShared(client) && performance.now() + maxStatementMs + commitMs <= endBy;
}

function within<Result>(by: number, result: Promise<Result>): Promise<Result> {
  return resultBy(by, result, () => new TransactionTimeout("The database gave no result in time."));
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
