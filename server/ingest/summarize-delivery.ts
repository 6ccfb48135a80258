import type { DeliverySummary } from "../contract/delivery.ts";
import type { Verdicts } from "../domain/verdict-list.ts";
import type { NewDelivery } from "../ports/store.ts";

/** A delivery as lists show it, without its body; its verdicts as they were recorded. */
export type ReceivedDelivery = Omit<DeliverySummary, "verdicts"> & { verdicts: Verdicts };

export function summarizeDelivery({
  body: _body,
  keyId: _keyId,
  receivedAt,
  ...delivery
}: NewDelivery): ReceivedDelivery {
  return { ...delivery, receivedAt: new Date(receivedAt).toISOString() };
}
