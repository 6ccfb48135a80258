import type { Delivery, DeliverySummary } from "../../contract/delivery.ts";
import type { NewDelivery } from "../../ports/store/delivery-store.ts";
import { readBodyJson } from "./read-body-json.ts";
import { toIso } from "./iso-time.ts";

export type DeliverySummaryRow = Omit<NewDelivery, "body" | "keyId">;

export interface DeliveryRow extends DeliverySummaryRow {
  body: Uint8Array | null;
}

export function toDeliverySummary(row: DeliverySummaryRow): DeliverySummary {
  const {
    id,
    endpoint,
    method,
    headers,
    bodyBytes,
    bodySha256,
    outcome,
    responseStatus,
    problem,
    verdicts,
    unlistedVerdicts,
    durationMs,
    redeliveryOf,
  } = row;
  return {
    id,
    endpoint,
    receivedAt: toIso(row.receivedAt),
    method,
    headers,
    bodyBytes,
    bodySha256,
    outcome,
    responseStatus,
    problem,
    verdicts,
    unlistedVerdicts,
    durationMs,
    redeliveryOf,
  };
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    ...toDeliverySummary(row),
    body: row.body && Buffer.from(row.body).toString("base64"),
    json: row.body && readBodyJson(row.body),
  };
}
