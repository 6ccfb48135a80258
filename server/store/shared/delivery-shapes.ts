import type { Delivery, DeliverySummary } from "../../contract/delivery.ts";
import { type Json, jsonSchema } from "../../contract/json.ts";
import type { NewDelivery } from "../../ports/store/delivery-store.ts";
import { toIso } from "./iso-time.ts";

/** Deeper bodies were rejected and are stored as bytes. They would overflow the stack of the code that serializes them. */
const maxDepth = 512;

export type DeliverySummaryRow = Omit<NewDelivery, "body" | "keyId">;

/** The columns of a list. `verdicts` has the unlisted ones, too. */
export const deliverySummaryNames = [
  "id",
  "endpoint",
  "receivedAt",
  "method",
  "headers",
  "bodyBytes",
  "bodySha256",
  "outcome",
  "responseStatus",
  "problem",
  "verdicts",
  "durationMs",
  "redeliveryOf",
] as const satisfies (keyof DeliverySummaryRow)[];

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

/** The JSON of a stored body; `null` if the bytes are not JSON, as in some rejected deliveries. */
export function readBodyJson(body: Uint8Array): Json | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return isDeeperThan(text, maxDepth) ? null : jsonSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (isInString) {
      if (char === "\\") index += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > limit) return true;
    } else if (char === "}" || char === "]") depth -= 1;
  }
  return false;
}
