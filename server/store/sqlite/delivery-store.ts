import { eq } from "drizzle-orm";
import type { DeliveryStore } from "../../ports/store/delivery-store.ts";
import { toDelivery } from "../shared/delivery-shapes.ts";
import { prepareAcceptDelivery, prepareInsertDelivery } from "./accept-delivery.ts";
import type { CountTraffic } from "../shared/traffic-counts.ts";
import type { SqliteDatabase } from "./database.ts";
import type { InsertRun } from "./insert-run.ts";
import { listDeliveries, nameDelivery } from "./list-deliveries.ts";
import type { QueueCapacity } from "./queue-capacity.ts";
import { delivery } from "./schema.ts";
import type { WriteQueue } from "./write-queue.ts";

export function createDeliveryStore(
  database: SqliteDatabase,
  p: { insertRun: InsertRun; capacity: QueueCapacity; countTraffic: CountTraffic; queueing: WriteQueue["write"] },
): DeliveryStore {
  const { db, names, read, readInTurn } = database;
  const insertDelivery = prepareInsertDelivery(database, p.countTraffic);
  const acceptDelivery = prepareAcceptDelivery(database, {
    insertDelivery,
    insertRun: p.insertRun,
    capacity: p.capacity,
  });
  return {
    acceptDelivery: (request) => p.queueing(() => acceptDelivery(request)),
    recordDelivery: (newDelivery) => p.queueing(() => void insertDelivery(newDelivery)),
    listDeliveries: (filter, page) => listDeliveries(database, filter, page),
    getDelivery: (id) =>
      readInTurn(() => {
        const row = db.select().from(delivery).where(eq(delivery.id, id)).get();
        return row ? toDelivery(nameDelivery(row, names)) : null;
      }),
    getDeliveryHeaders: (id) =>
      read(
        () => db.select({ headers: delivery.headers }).from(delivery).where(eq(delivery.id, id)).get()?.headers ?? null,
      ),
  };
}
