import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DeliveryOutcome, VerdictOutcome } from "../../../contract/delivery.ts";
import type { Problem } from "../../../contract/problem.ts";
import type { StoredVerdicts } from "../../shared/stored-verdicts.ts";
import { json } from "./columns.ts";

// Wide columns are last: SQLite reads a row from its start, and lists never reach them.

export const delivery = sqliteTable(
  "delivery",
  {
    id: text("id").primaryKey(),
    endpoint: text("endpoint").notNull(),
    receivedAt: integer("received_at").notNull(),
    method: text("method").notNull(),
    outcome: text("outcome").$type<DeliveryOutcome>().notNull(),
    responseStatus: integer("response_status").notNull(),
    durationMs: real("duration_ms").notNull(),
    bodyBytes: integer("body_bytes").notNull(),
    bodySha256: text("body_sha256"),
    /** No foreign key: history outlives keys. */
    keyId: text("key_id"),
    headers: json("headers").$type<Record<string, string>>().notNull(),
    problem: json("problem").$type<Problem>(),
    verdicts: json("verdicts").$type<StoredVerdicts>().notNull(),
    body: blob("body", { mode: "buffer" }),
    /** No foreign key: the first delivery may have been removed. */
    redeliveryOf: text("redelivery_of"),
    /** The shared list that `verdicts` of an earlier version refers to. */
    verdictSet: integer("verdict_set").references(() => verdictSet.id),
  },
  // After its sort columns, an index has the columns of a second filter, so that a scan never reads the wide rows.
  (t) => [
    index("delivery_by_time").on(t.receivedAt, t.id),
    index("delivery_by_endpoint").on(t.endpoint, t.receivedAt, t.id, t.outcome, t.responseStatus),
    index("delivery_by_outcome").on(t.outcome, t.receivedAt, t.id, t.endpoint, t.responseStatus),
    index("delivery_by_response_status").on(t.responseStatus, t.receivedAt, t.id, t.endpoint, t.outcome),
    index("delivery_by_redelivery")
      .on(t.redeliveryOf, t.receivedAt, t.id)
      .where(sql`redelivery_of IS NOT NULL`),
    index("delivery_by_verdict_set")
      .on(t.verdictSet)
      .where(sql`verdict_set IS NOT NULL`),
  ],
);

/** Verdicts that deliveries share. Never changed; ids are never reused. */
export const verdictSet = sqliteTable(
  "verdict_set",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** SHA-256 of the verdicts as JSON, hex. */
    hash: text("hash").notNull(),
    /** The decision of each trigger, one per line. */
    decided: text("decided").notNull(),
    /** JSON, raw deflate (RFC 1951). */
    verdicts: blob("verdicts", { mode: "buffer" }).notNull(),
  },
  (t) => [uniqueIndex("verdict_set_by_hash").on(t.hash)],
);

export const idempotencyKey = sqliteTable(
  "idempotency_key",
  {
    endpoint: text("endpoint").notNull(),
    key: text("key").notNull(),
    /** The delivery that was accepted first. */
    deliveryId: text("delivery_id")
      .notNull()
      .references(() => delivery.id, { onDelete: "cascade" }),
    bodySha256: text("body_sha256"),
    acceptedAt: integer("accepted_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.key] }), index("idempotency_key_by_delivery").on(t.deliveryId)],
);

/**
 * Counts, kept by minute and by hour (of verdicts by day, too), of deliveries (no attachment) and of verdicts, on an
 * endpoint or (no endpoint) on all. WITHOUT ROWID.
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

/** What each commit counted, as JSON, until it is added to `traffic`. Ids never come again. */
export const trafficLog = sqliteTable("traffic_log", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  counts: text("counts").notNull(),
});
