import type { DeliverySummary } from "../contract/delivery.ts";
import type { NewDelivery } from "../ports/store.ts";

/** A delivery as lists show it, without its body. */
export function summarizeDelivery({ body: _body, keyId: _keyId, receivedAt, ...delivery }: NewDelivery): DeliverySummary {
  return { ...delivery, receivedAt: new Date(receivedAt).toISOString() };
}
