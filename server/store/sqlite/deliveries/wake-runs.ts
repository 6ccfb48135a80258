import { packedHex } from "../../../domain/ids.ts";
import type { DeliveredEvents, NewDelivery, WokenRun } from "../../../ports/store/delivery-store.ts";
import { findWoken } from "../../core/event-waits.ts";
import { type EndedWait, findWaiting, keysOfEvents, takeWaits, wake } from "../../core/wake-runs.ts";
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
export function prepareWakeRuns({ connection }: SqliteDatabase, session: StoreSession): WakeRuns {
  const pathsOf = connection.prepare<unknown[], string>("SELECT paths FROM wait_paths WHERE source = ?").pluck();
  const isAwaited = connection
    .prepare<unknown[], number>("SELECT 1 FROM run_wait WHERE match_key = ? AND delivery IS NULL LIMIT 1")
    .pluck();
  return {
    find({ events }, { receivedAt }) {
      const keys = keysOfEvents(events, (source) => pathsOf.all(source));
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
