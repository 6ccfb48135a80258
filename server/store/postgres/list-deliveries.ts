import { desc, inArray } from "drizzle-orm";
import { noVerdicts, type DeliverySummary } from "../../contract/delivery.ts";
import type { Page, PageRequest } from "../../contract/list.ts";
import type { DeliveryFilter } from "../../ports/store/delivery-store.ts";
import { type DeliverySummaryRow, toDeliverySummary } from "../shared/delivery-shapes.ts";
import { deliveryTerms } from "../shared/delivery-terms.ts";
import { type Listing, readList } from "../shared/read-list.ts";
import { awaitSteps } from "../shared/steps.ts";
import type { PostgresDatabase } from "./database.ts";
import { bytesHaveText } from "./has-text.ts";
import { createListReader } from "./list-reader.ts";
import { delivery } from "./schema.ts";
import type { Session } from "./session.ts";
import { hasVerdict, type VerdictReader } from "./verdict-sets.ts";

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
  { read, readAtOnce, verdicts }: Pick<PostgresDatabase, "read" | "readAtOnce" | "verdicts">,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<DeliverySummary>> {
  const listing: Listing<DeliverySummaryRow, DeliverySummary> = {
    table: "delivery",
    at: delivery.receivedAt,
    id: delivery.id,
    terms: deliveryTerms(delivery, filter, { hasVerdict, hasText: (text) => bytesHaveText(delivery.body, text) }),
    since: filter.since,
    until: filter.until,
    // Retention could remove a shared list between a row and its verdicts.
    readRows: (ids) => readAtOnce((session) => readDeliveryRows(session, verdicts, ids)),
    position: (row) => ({ at: row.receivedAt, id: row.id }),
    shape: toDeliverySummary,
  };
  return read((session) => awaitSteps(readList(createListReader(session), listing, page)));
}

/** The rows with these ids, newest first. */
export async function readDeliveryRows(
  session: Session,
  verdicts: VerdictReader,
  ids: string[],
): Promise<DeliverySummaryRow[]> {
  const rows = await session.db
    .select(deliverySummaryColumns)
    .from(delivery)
    .where(inArray(delivery.id, ids))
    .orderBy(desc(delivery.receivedAt), desc(delivery.id));
  const lists = await verdicts.read(
    session,
    rows.map((row) => row.verdicts),
  );
  return rows.map((row, at) => ({ ...row, ...(lists[at] ?? noVerdicts) }));
}
