import type { DeliveryOutcome, VerdictOutcome } from "../../contract/delivery.ts";
import type { Problem } from "../../contract/problem.ts";
import { deliveryOutcomeCodes } from "../../domain/stored-codes.ts";
import type { ColumnTypes, NameColumns } from "./column-types.ts";

/** The columns of `delivery` that both databases have. Wide columns are last: SQLite reads a row from its start. */
export function describeDelivery<Form extends string | number>(types: ColumnTypes & NameColumns<Form>) {
  const { ownId, publicId, hex, code, name, whole, small, real, json } = types;
  return {
    id: ownId("id", "dlv"),
    endpoint: name("endpoint").notNull(),
    receivedAt: whole("received_at").notNull(),
    method: name("method").notNull(),
    outcome: code("outcome", deliveryOutcomeCodes).notNull(),
    responseStatus: small("response_status").notNull(),
    durationMs: real("duration_ms").notNull(),
    bodyBytes: whole("body_bytes").notNull(),
    bodySha256: hex("body_sha256"),
    /** No foreign key: deliveries stay after their key is removed. */
    keyId: name("key", { isId: true }),
    /** No foreign key: the first delivery may have been removed. */
    redeliveryOf: publicId("redelivery_of", "dlv"),
    headers: json("headers").$type<Record<string, string>>().notNull(),
    problem: json("problem").$type<Problem>(),
  };
}

/**
 * Counts of deliveries (empty attachment) and of verdicts, for one endpoint or (empty endpoint) for all. Buckets are
 * minutes and hours, and for verdicts also days. The primary key is all columns but the count.
 */
export const describeTraffic = ({ text, whole }: ColumnTypes) => ({
  bucketMs: whole("bucket_ms").notNull(),
  endpoint: text("endpoint").notNull(),
  attachmentId: text("attachment_id").notNull(),
  at: whole("at").notNull(),
  outcome: text("outcome").$type<DeliveryOutcome | VerdictOutcome>().notNull(),
  count: whole("count").notNull(),
});
