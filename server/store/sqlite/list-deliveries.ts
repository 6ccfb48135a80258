import { desc, inArray, sql } from "drizzle-orm";
import type { DeliverySummary } from "../../contract/delivery.ts";
import type { Page, PageRequest } from "../../contract/list.ts";
import type { DeliveryFilter } from "../../ports/store/delivery-store.ts";
import { type DeliverySummaryRow, toDeliverySummary } from "../shared/delivery-shapes.ts";
import { deliveryTerms } from "../shared/delivery-terms.ts";
import { type Listing, readList } from "../shared/read-list.ts";
import type { SqliteDatabase } from "./database.ts";
import { hasText } from "./has-text.ts";
import { createListReader } from "./list-reader.ts";
import { delivery } from "./schema.ts";
import { verdictHours } from "./verdict-hours.ts";
import { hasVerdict } from "./verdict-sets.ts";

/** The columns that a list shows: no bodies. */
const deliverySummaryColumns = {
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

export function listDeliveries(
  database: SqliteDatabase,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<DeliverySummary>> {
  return database.readSlices(() => readList(createListReader(database), deliveryListing(database, filter), page));
}

/** Apart, so that a test can look at the plans of its queries. */
export function deliveryListing(
  database: SqliteDatabase,
  filter: DeliveryFilter,
): Listing<DeliverySummaryRow, DeliverySummary> {
  return {
    table: "delivery",
    at: delivery.receivedAt,
    id: delivery.id,
    terms: deliveryTerms(delivery, filter, { hasVerdict, hasText: (text) => hasText([delivery.body], text) }),
    payloadBytes: [
      ...(filter.text === undefined ? [] : [sql`octet_length(${delivery.body})`]),
      ...(filter.verdict === undefined ? [] : [sql`octet_length(${delivery.verdicts})`]),
    ],
    since: filter.since,
    until: filter.until,
    nextRegion: verdictHours(database, filter),
    readRows: (ids) => readDeliveryRows(database, ids),
    position: (row) => ({ at: row.receivedAt, id: row.id }),
    shape: toDeliverySummary,
  };
}

/** The rows with these ids, newest first. */
export function readDeliveryRows(database: SqliteDatabase, ids: string[]): DeliverySummaryRow[] {
  return deliveryRowsQuery(database, ids)
    .all()
    .map((row) => ({ ...row, ...database.verdicts.read(row.verdicts) }));
}

/** Apart, so that a test can look at its plan. */
export function deliveryRowsQuery({ db }: SqliteDatabase, ids: string[]) {
  return db
    .select(deliverySummaryColumns)
    .from(delivery)
    .where(inArray(delivery.id, ids))
    .orderBy(desc(delivery.receivedAt), desc(delivery.id));
}
