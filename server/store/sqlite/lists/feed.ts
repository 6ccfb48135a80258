import { asc, inArray } from "drizzle-orm";
import type { FeedPage, FeedPosition, FeedStore } from "../../../ports/store/feed-store.ts";
import type { Packed } from "../../../domain/ids.ts";
import { toDeliverySummary } from "../../shared/delivery-shapes.ts";
import { maxFeedRows, portionOf } from "../../shared/lists/feed-portion.ts";
import type { SqliteDatabase } from "../database.ts";
import { deliverySummaryColumns, nameDelivery } from "./list-deliveries.ts";
import { listedSql } from "./list-index.ts";
import { noName } from "../names.ts";
import { delivery } from "../schema.ts";
import { deliveryId } from "../stored-forms.ts";

/** Exported for the test of their query plans. */
export const feedSql = {
  next: `SELECT seq AS number, id, endpoint, body_bytes AS bodyBytes FROM delivery WHERE seq > ? ORDER BY seq LIMIT ${maxFeedRows}`,
  /** The last row before the first one that was received since then. */
  start: `
    SELECT seq AS number, id FROM delivery WHERE seq < coalesce(
      (SELECT min(seq) FROM (${listedSql("delivery", { columns: "seq", index: "delivery_by_time", where: "received_at >= @since" })})),
      9223372036854775807) ORDER BY seq DESC LIMIT 1`,
  newest: "SELECT seq AS number, id FROM delivery ORDER BY seq DESC LIMIT 1",
  at: "SELECT id FROM delivery WHERE seq = ?",
  last: "SELECT seq FROM sqlite_sequence WHERE name = 'delivery'",
};

interface PositionRow {
  number: number;
  id: Packed;
}

/** Only one connection at a time writes, so the numbers of the rows are in the order of the commits. */
export function createFeedStore(database: SqliteDatabase): FeedStore {
  const { connection, readInTurn } = database;
  const newest = connection.prepare<[], PositionRow>(feedSql.newest);
  const start = connection.prepare<unknown[], PositionRow>(feedSql.start);
  const at = connection.prepare<unknown[], Packed>(feedSql.at).pluck();
  const last = connection.prepare<[], number>(feedSql.last).pluck();
  const readFeed = prepareReadFeed(database);
  return {
    findFeedStart: (since) => readInTurn(() => toPosition(since === null ? newest.get() : start.get({ since }))),
    readFeed: (p) => readInTurn(() => readFeed(p)),
    hasFeedPosition: ({ number, deliveryId: id }) =>
      readInTurn(() => {
        const found = at.get(number);
        return number <= (last.get() ?? 0) && (found === undefined || deliveryId.unpack(found) === id);
      }),
  };
}

function toPosition(row: PositionRow | undefined): FeedPosition {
  return row ? { number: row.number, deliveryId: deliveryId.unpack(row.id) } : { number: 0, deliveryId: null };
}

function prepareReadFeed({
  connection,
  db,
  names,
}: SqliteDatabase): (p: Parameters<FeedStore["readFeed"]>[0]) => FeedPage {
  const next = connection.prepare<unknown[], PositionRow & { endpoint: number; bodyBytes: number }>(feedSql.next);
  return ({ after, endpoints }) => {
    const only = endpoints && new Set(endpoints.map((endpoint) => names.find(endpoint) ?? noName));
    const rows = next.all(after.number).map((row) => ({ ...row, isWanted: only?.has(row.endpoint) ?? true }));
    const { wanted, last } = portionOf(rows);
    return {
      entries: wanted.length === 0 ? [] : readEntries(wanted.map(({ number }) => number)),
      end: last ? toPosition(last) : after,
      isAtEnd: last === null || (rows.length < maxFeedRows && last === rows.at(-1)),
    };
  };

  function readEntries(seqs: number[]): FeedPage["entries"] {
    return db
      .select({ ...deliverySummaryColumns, body: delivery.body })
      .from(delivery)
      .where(inArray(delivery.seq, seqs))
      .orderBy(asc(delivery.seq))
      .all()
      .map((row) => ({
        position: { number: row.seq, deliveryId: row.id },
        delivery: toDeliverySummary(nameDelivery(row, names)),
        body: row.body,
      }));
  }
}
