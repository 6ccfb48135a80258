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

/** For most deliveries, only the first statement runs: no run has ever waited for their sources. */
export function prepareWakeRuns({ connection }: SqliteDatabase, session: StoreSession): WakeRuns {
  const pathsOf = connection.prepare<unknown[], string>("SELECT paths FROM wait_paths WHERE source = ?").pluck();
  return {
    find({ events }, { receivedAt }) {
      const keys = keysOfEvents(events, (source) => pathsOf.all(source));
      if (keys.size === 0) return { ended: [], hasMore: false };
      const { waits, hasMore } = runSync(findWaiting(session, [...keys.keys()], receivedAt));
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
