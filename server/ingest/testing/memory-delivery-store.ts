import { AppError } from "../../contract/app-error.ts";
import { reservesKey } from "../../domain/deliveries/held.ts";
import type { DeliveryStore, NewDelivery } from "../../ports/store/delivery-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { QueueFull } from "../../ports/store/run-store.ts";

type Writes = Pick<DeliveryStore, "acceptDelivery" | "recordDelivery">;

export interface MemoryDeliveryStore extends Writes {
  deliveries: NewDelivery[];
  runs: NewRun[];
  /** While set, every operation rejects with it. */
  failure: Error | null;
  /** While set, no delivery with runs is taken. */
  full: QueueFull | null;
}

/** What the receiver writes, kept in memory, with the port's own rules for idempotency. */
export function createMemoryDeliveryStore(): MemoryDeliveryStore {
  const accepted: { key: string; delivery: NewDelivery; runs: NewRun[] }[] = [];
  const store: MemoryDeliveryStore = {
    deliveries: [],
    runs: [],
    failure: null,
    full: null,
    async acceptDelivery({ delivery, runs, idempotency }) {
      if (store.failure) throw store.failure;
      const first = accepted.find(
        (other) =>
          other.key === idempotency?.key &&
          other.delivery.endpoint === delivery.endpoint &&
          other.delivery.receivedAt >= idempotency.notBefore,
      );
      if (first && first.delivery.bodySha256 !== delivery.bodySha256 && !idempotency?.mayDiffer)
        return { kind: "conflict", deliveryId: first.delivery.id };
      if (first) return { kind: "repeated", deliveryId: first.delivery.id, runs: first.runs.map(toAcceptedRun) };
      if (store.full && runs.length > 0) return { kind: "full", queue: store.full };
      if (idempotency && reservesKey(delivery.outcome)) accepted.push({ key: idempotency.key, delivery, runs });
      store.deliveries.push(delivery);
      store.runs.push(...runs);
      return { kind: "accepted" };
    },
    async recordDelivery(delivery) {
      if (store.failure) throw store.failure;
      store.deliveries.push(delivery);
    },
  };
  return store;
}

export const unavailable = new AppError("store_unavailable", "The store is busy.");

function toAcceptedRun(run: NewRun) {
  return { runId: run.id, trigger: run.trigger ?? "", attachmentId: run.attachmentId ?? "", target: run.target };
}
