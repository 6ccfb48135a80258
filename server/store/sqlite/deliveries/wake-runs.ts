import { packedHex } from "../../../domain/ids.ts";
import type { DeliveredEvents, NewDelivery, WokenRun } from "../../../ports/store/delivery-store.ts";
import { findWoken } from "../../core/event-waits.ts";
import { type EndedWait, findWaiting, keysOfEvents, type PathsOf, takeWaits, wake } from "../../core/wake-runs.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { runSync } from "../../shared/operation.ts";
import type { SqliteDatabase } from "../database.ts";

export interface WakeRuns {
  find(
    delivered: Pick<DeliveredEvents, "events">,
    delivery: Pick<NewDelivery, "receivedAt">,
  ): { ended: EndedWait[]; hasMore: boolean };
  wake(
    ended: readonly EndedWait[],
    delivery: Pick<NewDelivery, "id" | "receivedAt">,
    toResult: DeliveredEvents["toResult"],
  ): WokenRun[];
  /** Empty: the delivery woke no run. */
  listWoken(deliveryId: string): { woke?: readonly WokenRun[] };
}

/**
 * For most deliveries, only the first statement runs: no run has ever waited for their sources. For most of the other
 * ones, no run waits now.
 */
export function prepareWakeRuns(
  { connection }: SqliteDatabase,
  { session, waitPaths }: { session: StoreSession; waitPaths: WaitPaths },
): WakeRuns {
  const isAwaited = connection
    .prepare<unknown[], number>("SELECT 1 FROM run_wait WHERE match_key = ? AND delivery IS NULL LIMIT 1")
    .pluck();
  return {
    find({ events }, { receivedAt }) {
      const keys = keysOfEvents(events, waitPaths.of);
      const awaited = [...keys.keys()].filter((key) => isAwaited.get(packedHex.pack(key)) !== undefined);
      if (awaited.length === 0) return { ended: [], hasMore: false };
      const { waits, hasMore } = runSync(findWaiting(session, awaited, receivedAt));
      return { ended: takeWaits(waits, { keys, receivedAt, taken: new Set() }), hasMore };
    },
    wake: (ended, { id: deliveryId, receivedAt }, toResult) =>
      runSync(wake(session, ended, { deliveryId, receivedAt, toResult })),
    listWoken(id) {
      const woke = runSync(findWoken(session, [id])).get(id);
      return woke ? { woke } : {};
    },
  };
}

/**
 * The sets of paths by which runs wait for the events of a source. Read once in a transaction: it has hundreds of
 * deliveries.
 */
export interface WaitPaths {
  of: PathsOf;
  /** Called at the beginning of a transaction, and for every other operation that can add a set. */
  clear(): void;
}

export function createWaitPaths({ connection }: Pick<SqliteDatabase, "connection">): WaitPaths {
  const select = connection.prepare<unknown[], string>("SELECT paths FROM wait_paths WHERE source = ?").pluck();
  let known = new Map<string, readonly string[]>();
  return {
    of(source) {
      const paths = known.get(source) ?? select.all(source);
      known.set(source, paths);
      return paths;
    },
    clear() {
      if (known.size > 0) known = new Map();
    },
  };
}
