import { desc, inArray, sql } from "drizzle-orm";
import type { DeliverySummary } from "../../../contract/delivery.ts";
import type { Page, PageRequest } from "../../../contract/list.ts";
import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import { deliverySummaryNames, type DeliverySummaryRow, toDeliverySummary } from "../../shared/delivery-shapes.ts";
import { deliveryTerms } from "../../shared/lists/delivery-terms.ts";
import { type Listing, pickColumns, readList } from "../../shared/lists/read-list.ts";
import type { SqliteDatabase } from "../database.ts";
import { hasText } from "./has-text.ts";
import { createListReader, readSeq, toPositionId, withOwnIndex } from "./list-reader.ts";
import { type Names, noName } from "../names.ts";
import { delivery, deliveryList } from "../schema.ts";
import { verdictHours } from "../deliveries/verdict-hours.ts";
import { hasVerdict, unpackVerdicts } from "../deliveries/verdicts.ts";

/** The columns of a list, without bodies. */
export const deliverySummaryColumns = pickColumns(delivery, ["seq", ...deliverySummaryNames]);

interface ListedDelivery extends DeliverySummaryRow {
  seq: number;
}

export function listDeliveries(
  database: SqliteDatabase,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<DeliverySummary>> {
  return database.readSlices(() => readList(createListReader(database), deliveryListing(database, filter), page));
}

/** Exported for the test of its query plans. */
export function deliveryListing(
  database: SqliteDatabase,
  filter: DeliveryFilter,
): Listing<ListedDelivery, DeliverySummary> {
  const { names } = database;
  const numbered = {
    ...filter,
    endpoint: filter.endpoint === undefined ? undefined : (names.find(filter.endpoint) ?? noName),
  };
  const source = { delivery, hasVerdict: hasVerdict(names), hasText: (text: string) => hasText([delivery.body], text) };
  const terms = deliveryTerms(numbered, source);
  const own = withOwnIndex(terms, ["delivery_by_redelivery"]);
  return {
    table: "delivery",
    at: delivery.receivedAt,
    id: delivery.seq,
    ...(own
      ? { terms: own }
      : {
          terms,
          listed: {
            at: deliveryList.receivedAt,
            id: deliveryList.seq,
            terms: deliveryTerms(numbered, { ...source, delivery: { ...delivery, ...deliveryList } }),
          },
        }),
    payloadBytes: [
      ...(filter.text === undefined ? [] : [sql`octet_length(${delivery.body})`]),
      ...(filter.verdict === undefined ? [] : [sql`octet_length(${delivery.verdicts})`]),
    ],
    since: filter.since,
    until: filter.until,
    nextRegion: verdictHours(database, filter),
    readRows: (ids) => readDeliveryRows(database, ids.map(readSeq)),
    position: (row) => ({ at: row.receivedAt, id: toPositionId(row.seq) }),
    shape: toDeliverySummary,
  };
}

/** The rows with these numbers, newest first. */
export function readDeliveryRows(database: SqliteDatabase, seqs: number[]): ListedDelivery[] {
  return deliveryRowsQuery(database, seqs)
    .all()
    .map((row) => nameDelivery(row, database.names));
}

/** Exported for the test of its query plan. */
export function deliveryRowsQuery({ db }: Pick<SqliteDatabase, "db">, seqs: number[]) {
  return db
    .select(deliverySummaryColumns)
    .from(delivery)
    .where(inArray(delivery.seq, seqs))
    .orderBy(desc(delivery.receivedAt), desc(delivery.seq));
}

/** The row with names instead of their numbers. */
export function nameDelivery<Row extends { endpoint: number; method: number; verdicts: string }>(
  row: Row,
  names: Names,
) {
  return {
    ...row,
    endpoint: names.textOf(row.endpoint),
    method: names.textOf(row.method),
    ...unpackVerdicts(row.verdicts, names),
  };
}
