import { keyOfWait } from "../../../domain/runs/event-waits.ts";
import type { EventWait } from "../../../ports/store/engine-store.ts";
import { findWaiting, type OpenWait } from "../../core/event-waits.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { runAsync } from "../../shared/operation.ts";
import type { Session } from "../connection/session.ts";

/**
 * A delivery and a wait with the same key can be in transactions of two machines. Then either the delivery finds the
 * wait, or it is committed before the search for the wait begins. So both lock the key, in one order for all machines.
 * Deliveries share the lock.
 */
const lockSql = (lock: "pg_advisory_xact_lock" | "pg_advisory_xact_lock_shared") => `
  SELECT ${lock}(number) FROM (
    SELECT DISTINCT hashtextextended('wait ' || key, 0) AS number FROM unnest($1::text[]) AS t (key) ORDER BY number
  ) AS sorted`;

/** The open waits with these keys; see `findWaiting`. No other one is recorded before the end of the transaction. */
export async function lockWaits(
  session: Session,
  { keys, receivedAt }: { keys: readonly string[]; receivedAt: number },
  { toStoreSession }: { toStoreSession: (session: Session) => StoreSession },
): Promise<{ waits: OpenWait[]; hasMore: boolean }> {
  if (keys.length === 0) return { waits: [], hasMore: false };
  await session.rows(lockSql("pg_advisory_xact_lock_shared"), [keys]);
  return runAsync(findWaiting(toStoreSession(session), keys, receivedAt));
}

/** Locks the keys of those waits that are not recorded yet: a delivery may wait for the lock of a run that is. */
export async function lockNewWaits(session: Session, waits: readonly (EventWait & { runId: string })[]): Promise<void> {
  if (waits.length === 0) return;
  const recorded = await session.rows<{ runId: string; step: string; branch: string }>(
    'SELECT run_id AS "runId", step, branch FROM signalbox.run_wait WHERE run_id = ANY($1::text[])',
    [waits.map(({ runId }) => runId)],
  );
  const names = new Set(recorded.map(nameOf));
  const keys = waits.filter((wait) => !names.has(nameOf(wait))).map(keyOfWait);
  if (keys.length > 0) await session.rows(lockSql("pg_advisory_xact_lock"), [keys]);
}

function nameOf({ runId, step, branch }: { runId: string; step: string; branch: string }): string {
  return JSON.stringify([runId, step, branch]);
}
