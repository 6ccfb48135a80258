import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { DeliverySummary } from "../../contract/delivery.ts";
import type { Page } from "../../contract/page.ts";
import type { DeliveryFilter, PageRequest } from "../../ports/store.ts";
import { hasText } from "./has-text.ts";
import { readPageRequest, toPage } from "../shared/cursor.ts";
import { toDeliverySummary } from "../shared/delivery-shapes.ts";
import type { SqliteDatabase } from "./database.ts";
import { delivery } from "./schema.ts";

/** The columns that a list shows: no bodies. */
export const deliverySummaryColumns = {
  id: delivery.id,
  endpoint: delivery.endpoint,
  receivedAt: delivery.receivedAt,
  method: delivery.method,
  headers: delivery.headers,
  bodyBytes: delivery.bodyBytes,
  bodySha256: delivery.bodySha256,
  outcome: delivery.outcome,
  responseStatus: delivery.responseStatus,
  problem: delivery.problem,
  verdicts: delivery.verdicts,
  durationMs: delivery.durationMs,
  redeliveryOf: delivery.redeliveryOf,
};

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
  const { id, endpoint, receivedAt, outcome, responseStatus } = delivery;
  return db
    .select(deliverySummaryColumns)
    .from(delivery)
    .where(
      and(
        filter.endpoint === undefined ? undefined : eq(endpoint, filter.endpoint),
        filter.outcome === undefined ? undefined : eq(outcome, filter.outcome),
        filter.responseStatus === undefined ? undefined : eq(responseStatus, filter.responseStatus),
        filter.redeliveryOf === undefined ? undefined : eq(delivery.redeliveryOf, filter.redeliveryOf),
        filter.verdict && hasVerdict(filter.verdict),
        filter.text === undefined ? undefined : hasText([delivery.body], filter.text),
        filter.since === undefined ? undefined : gte(receivedAt, filter.since),
        filter.until === undefined ? undefined : lt(receivedAt, filter.until),
        after ? sql`(${receivedAt}, ${id}) < (${after.at}, ${after.id})` : undefined,
      ),
    )
    .orderBy(desc(receivedAt), desc(id))
    .limit(limit + 1);
}

function hasVerdict({ trigger, outcomes }: NonNullable<DeliveryFilter["verdict"]>) {
  return sql`EXISTS (SELECT 1 FROM json_each(${delivery.verdicts}) v WHERE v.value ->> 'trigger' = ${trigger}
    AND v.value ->> 'outcome' IN (SELECT value FROM json_each(${JSON.stringify(outcomes)})))`;
}
