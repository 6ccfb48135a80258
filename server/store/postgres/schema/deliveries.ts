import { sql } from "drizzle-orm";
import { bigserial, index, primaryKey, uniqueIndex } from "drizzle-orm/pg-core";
import { describeDelivery, describeTraffic } from "../../core/delivery-tables.ts";
import type { StoredVerdicts } from "../../shared/stored-verdicts.ts";
import { bytes, columnsOf, json, pgTable, text, whole } from "./columns.ts";

export const delivery = pgTable(
  "delivery",
  {
    ...columnsOf(describeDelivery),
    verdicts: json("verdicts").$type<StoredVerdicts>().notNull(),
    /** Which trigger decided what, a line each, lists are narrowed by it. */
    decided: text("decided").notNull(),
    body: bytes("body"),
    /** For the mark of the store. */
    position: bigserial("position", { mode: "number" }).notNull(),
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
    uniqueIndex("delivery_by_position").on(t.position),
  ],
);

export const idempotencyKey = pgTable(
  "idempotency_key",
  {
    endpoint: text("endpoint").notNull(),
    key: text("key").notNull(),
    /** The delivery that was accepted first. */
    deliveryId: text("delivery_id")
      .notNull()
      .references(() => delivery.id, { onDelete: "cascade" }),
    bodySha256: text("body_sha256"),
    acceptedAt: whole("accepted_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.key] }), index("idempotency_key_by_delivery").on(t.deliveryId)],
);

export const traffic = pgTable("traffic", columnsOf(describeTraffic), (t) => [
  primaryKey({ columns: [t.bucketMs, t.endpoint, t.attachmentId, t.at, t.outcome] }),
]);

/** What each commit counted, as JSON, until it is added to `traffic`. */
export const trafficLog = pgTable("traffic_log", {
  id: bigserial("id", { mode: "number" }).primaryKey(),
  counts: text("counts").notNull(),
});
