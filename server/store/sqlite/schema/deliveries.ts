import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { describeDelivery, describeTraffic } from "../../core/delivery-tables.ts";
import { columnTypes, hex } from "./columns.ts";

/**
 * Names that many rows share: of endpoints, triggers, attachments, targets, versions, methods and keys. Rows refer to
 * them by number, without a foreign key. Ids are never reused, because processes cache them.
 */
export const name = sqliteTable(
  "name",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    text: text("text").notNull(),
    /** A name that is not kept came from a rejected request. It is removed with the last delivery that has it. */
    isKept: integer("is_kept", { mode: "boolean" }).notNull(),
  },
  (t) => [uniqueIndex("name_by_text").on(t.text)],
);

export const delivery = sqliteTable(
  "delivery",
  {
    /** In the order of arrival. Never reused. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** The idempotency key under which it was accepted. Of several deliveries with a key, only the newest has it. */
    idempotencyKey: hex("idempotency_key"),
    ...describeDelivery(columnTypes),
    /** JSON; see `verdicts.ts`. */
    verdicts: text("verdicts").notNull(),
    body: blob("body", { mode: "buffer" }),
  },
  // The indexes for other filters of lists are in `lists.ts`.
  (t) => [
    uniqueIndex("delivery_by_id").on(t.id),
    uniqueIndex("delivery_by_idempotency_key")
      .on(t.endpoint, t.idempotencyKey)
      .where(sql`idempotency_key IS NOT NULL`),
    index("delivery_by_redelivery")
      .on(t.redeliveryOf, t.receivedAt, t.seq)
      .where(sql`redelivery_of IS NOT NULL`),
  ],
);

/** WITHOUT ROWID. */
export const traffic = sqliteTable("traffic", describeTraffic(columnTypes), (t) => [
  primaryKey({ columns: [t.bucketMs, t.endpoint, t.attachmentId, t.at, t.outcome] }),
]);

/** The counts of each commit, as JSON, until they are added to `traffic`. Ids are never reused. */
export const trafficLog = sqliteTable("traffic_log", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  counts: text("counts").notNull(),
});

/** A row for each topic, by its index in `storeTopics`: the number of its changes. The mark of the store. */
export const storeChange = sqliteTable("store_change", {
  id: integer("id").primaryKey(),
  changes: integer("changes").notNull(),
});
