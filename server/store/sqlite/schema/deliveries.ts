import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DeliveryOutcome, VerdictOutcome } from "../../../contract/delivery.ts";
import type { Problem } from "../../../contract/problem.ts";
import { deliveryOutcomeCodes } from "../../../domain/stored-codes.ts";
import { code, hex, json, named, publicId } from "./columns.ts";

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

// Wide columns are last: SQLite reads a row from its start, so lists never read them.

export const delivery = sqliteTable(
  "delivery",
  {
    /** In the order of arrival. Never reused. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: publicId("id", "dlv").notNull(),
    endpoint: named("endpoint").notNull(),
    receivedAt: integer("received_at").notNull(),
    method: named("method").notNull(),
    outcome: code("outcome", deliveryOutcomeCodes).notNull(),
    responseStatus: integer("response_status").notNull(),
    durationMs: real("duration_ms").notNull(),
    bodyBytes: integer("body_bytes").notNull(),
    bodySha256: hex("body_sha256"),
    /** No foreign key: deliveries stay after their key is removed. */
    key: named("key"),
    /** No foreign key: the first delivery may have been removed. */
    redeliveryOf: publicId("redelivery_of", "dlv"),
    /** The idempotency key under which it was accepted. Of several deliveries with a key, only the newest has it. */
    idempotencyKey: hex("idempotency_key"),
    headers: json("headers").$type<Record<string, string>>().notNull(),
    problem: json("problem").$type<Problem>(),
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

/**
 * Counts of deliveries (empty attachment) and of verdicts, for one endpoint or (empty endpoint) for all. Buckets are
 * minutes and hours, and for verdicts also days. WITHOUT ROWID.
 */
export const traffic = sqliteTable(
  "traffic",
  {
    bucketMs: integer("bucket_ms").notNull(),
    endpoint: text("endpoint").notNull(),
    attachmentId: text("attachment_id").notNull(),
    at: integer("at").notNull(),
    outcome: text("outcome").$type<DeliveryOutcome | VerdictOutcome>().notNull(),
    count: integer("count").notNull(),
  },
  (t) => [primaryKey({ columns: [t.bucketMs, t.endpoint, t.attachmentId, t.at, t.outcome] })],
);

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
