import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { DeliverySummary } from "../../contract/delivery.ts";
import type { Page } from "../../contract/page.ts";
import type { DeliveryFilter, PageRequest } from "../../ports/store.ts";
import { readPageRequest, toPage } from "../shared/cursor.ts";
import { toDeliverySummary } from "../shared/delivery-shapes.ts";
import type { SqliteDatabase } from "./database.ts";
import { delivery } from "./schema.ts";

export function listDeliveries(database: SqliteDatabase, filter: DeliveryFilter, page: PageRequest): Page<DeliverySummary> {
  return toPage(listDeliveriesQuery(database, filter, page).all(), {
    limit: page.limit,
    position: (row) => ({ at: row.receivedAt, id: row.id }),
    shape: toDeliverySummary,
  });
}

/** Apart, so that a test can look at its plan. */
export function listDeliveriesQuery({ db }: SqliteDatabase, filter: DeliveryFilter, page: PageRequest) {
  const { limit, after } = readPageRequest(page);
  const { id, endpoint, receivedAt, method, headers, bodyBytes, bodySha256, outcome, responseStatus, problem, verdicts, durationMs } = delivery;
  return db
    .select({ id, endpoint, receivedAt, method, headers, bodyBytes, bodySha256, outcome, responseStatus, problem, verdicts, durationMs })
    .from(delivery)
    .where(
      and(
        filter.endpoint === undefined ? undefined : eq(endpoint, filter.endpoint),
        filter.outcome === undefined ? undefined : eq(outcome, filter.outcome),
        filter.responseStatus === undefined ? undefined : eq(responseStatus, filter.responseStatus),
        filter.since === undefined ? undefined : gte(receivedAt, filter.since),
        filter.until === undefined ? undefined : lt(receivedAt, filter.until),
        after ? sql`(${receivedAt}, ${id}) < (${after.at}, ${after.id})` : undefined,
      ),
    )
    .orderBy(desc(receivedAt), desc(id))
    .limit(limit + 1);
}
