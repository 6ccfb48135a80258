import { eq, inArray } from "drizzle-orm";
import type { DeliveryStore, ReleaseRequest, ReleaseResult } from "../../../ports/store/delivery-store.ts";
import { toDelivery } from "../../shared/delivery-shapes.ts";
import { readStoredVerdicts } from "../../shared/stored-verdicts.ts";
import type { CoreStore } from "../../core/core-store.ts";
import type { AcceptOperation } from "./accept-deliveries.ts";
import type { WaitPaths } from "./wait-paths.ts";
import type { PostgresDatabase } from "../database.ts";
import { countHeld, listHeld } from "./held-deliveries.ts";
import { listDeliveries } from "../lists/list-deliveries.ts";
import { delivery } from "../schema.ts";

export function createDeliveryStore(
  { read, readAtOnce }: PostgresDatabase,
  {
    accept,
    release,
    waitPaths,
  }: {
    accept: AcceptOperation;
    release: (request: ReleaseRequest) => Promise<ReleaseResult>;
    waitPaths: WaitPaths;
  },
): Omit<DeliveryStore, keyof CoreStore> {
  return {
    async acceptDelivery(request, terms) {
      const { delivered } = request;
      const keys = delivered && (await waitPaths.keysOf(delivered.events));
      return (await accept({ ...request, delivered: delivered && keys && { ...delivered, keys } }, terms)).result;
    },
    async releaseDelivery(request) {
      if (request.delivered) await waitPaths.keysOf(request.delivered.events);
      return release(request);
    },
    listHeld: (filter, page) => read((session) => listHeld(session, filter, page)),
    countHeld: () => read(countHeld),
    recordDelivery: async (newDelivery, terms) =>
      void (await accept({ delivery: newDelivery, runs: [], idempotency: null }, terms)),
    listDeliveries: (filter, page) => read((session) => listDeliveries(session, filter, page)),
    getDelivery: (id) =>
      readAtOnce(async (session) => {
        const [row] = await session.db.select().from(delivery).where(eq(delivery.id, id));
        return row ? toDelivery({ ...row, ...readStoredVerdicts(row.verdicts) }) : null;
      }),
    getDeliveryBodies: (ids) =>
      read(async ({ db }) => {
        const rows = await db
          .select({ id: delivery.id, body: delivery.body })
          .from(delivery)
          .where(inArray(delivery.id, [...ids]));
        return new Map(rows.map(({ id, body }) => [id, body]));
      }),
    getDeliveryHeaders: (id) =>
      read(
        async ({ db }) =>
          (await db.select({ headers: delivery.headers }).from(delivery).where(eq(delivery.id, id)))[0]?.headers ??
          null,
      ),
  };
}
