import { eq } from "drizzle-orm";
import { noVerdicts } from "../../contract/delivery.ts";
import type { DeliveryStore } from "../../ports/store/delivery-store.ts";
import { toDelivery } from "../shared/delivery-shapes.ts";
import type { AcceptVerb } from "./accept-deliveries.ts";
import type { PostgresDatabase } from "./database.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { delivery } from "./schema.ts";
import { removeUnusedVerdicts } from "./verdict-sets.ts";

export function createDeliveryStore(
  { read, readAtOnce, write, verdicts }: PostgresDatabase,
  accept: AcceptVerb,
): DeliveryStore {
  return {
    acceptDelivery: async (request) => (await accept(request)).result,
    recordDelivery: async (newDelivery) => void (await accept({ delivery: newDelivery, runs: [], idempotency: null })),
    listDeliveries: (filter, page) => listDeliveries({ read, readAtOnce, verdicts }, filter, page),
    getDelivery: (id) =>
      readAtOnce(async (session) => {
        const [row] = await session.db.select().from(delivery).where(eq(delivery.id, id));
        if (!row) return null;
        const [list = noVerdicts] = await verdicts.read(session, [row.verdicts]);
        return toDelivery({ ...row, ...list });
      }),
    getDeliveryHeaders: (id) =>
      read(
        async ({ db }) =>
          (await db.select({ headers: delivery.headers }).from(delivery).where(eq(delivery.id, id)))[0]?.headers ??
          null,
      ),
    removeUnusedVerdicts: () => write(removeUnusedVerdicts),
  };
}
