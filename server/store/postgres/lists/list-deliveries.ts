import { desc, inArray, type SQL, sql } from "drizzle-orm";
import type { DeliverySummary } from "../../../contract/delivery.ts";
import type { Page, PageRequest } from "../../../contract/list.ts";
import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import { decidedLine } from "../../shared/decided-lines.ts";
import { deliverySummaryNames, type DeliverySummaryRow, toDeliverySummary } from "../../shared/delivery-shapes.ts";
import { deliveryTerms } from "../../shared/lists/delivery-terms.ts";
import { type Listing, pickColumns, readList } from "../../shared/lists/read-list.ts";
import { runAsync } from "../../shared/operation.ts";
import { readStoredVerdicts } from "../../shared/stored-verdicts.ts";
import { bytesHaveText } from "./has-text.ts";
import { createListReader } from "./list-reader.ts";
import { delivery } from "../schema.ts";
import type { Session } from "../connection/session.ts";

/** The columns that a list shows: no bodies. */
export const deliverySummaryColumns = pickColumns(delivery, deliverySummaryNames);

export function listDeliveries(
  session: Session,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<DeliverySummary>> {
  const listing: Listing<DeliverySummaryRow, DeliverySummary> = {
    table: "delivery",
    at: delivery.receivedAt,
    id: delivery.id,
    terms: deliveryTerms(filter, { delivery, hasVerdict, hasText: (text) => bytesHaveText(delivery.body, text) }),
    since: filter.since,
    until: filter.until,
    readRows: (ids) => readDeliveryRows(session, ids),
    position: (row) => ({ at: row.receivedAt, id: row.id }),
    shape: toDeliverySummary,
  };
  return runAsync(readList(createListReader(session), listing, page));
}

/** The rows with these ids, newest first. */
export async function readDeliveryRows(session: Session, ids: string[]): Promise<DeliverySummaryRow[]> {
  const rows = await session.db
    .select(deliverySummaryColumns)
    .from(delivery)
    .where(inArray(delivery.id, ids))
    .orderBy(desc(delivery.receivedAt), desc(delivery.id));
  return rows.map((row) => ({ ...row, ...readStoredVerdicts(row.verdicts) }));
}

/** Whether a delivery lists such a verdict. */
function hasVerdict({ trigger, outcomes }: NonNullable<DeliveryFilter["verdict"]>): SQL {
  const lists = outcomes.map(
    (outcome) => sql`position(${`\n${decidedLine(trigger, outcome)}\n`} in ${delivery.decided}) > 0`,
  );
  return lists.length === 0 ? sql`FALSE` : sql`(${sql.join(lists, sql` OR `)})`;
}
