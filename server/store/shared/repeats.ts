import type { TargetKind } from "../../contract/project/target.ts";
import type { AcceptedRun, DeliveryStore } from "../../ports/store/delivery-store.ts";

export type AcceptRequest = Parameters<DeliveryStore["acceptDelivery"]>[0];

/** The delivery that was first accepted under an idempotency key. */
export interface FirstDelivery {
  deliveryId: string;
  bodySha256: string | null;
  acceptedAt: number;
}

/** Decides whether a request repeats the first delivery with its key or conflicts with it; `null`: it is the first one. */
export function classifyRepeat(
  first: FirstDelivery | undefined,
  { delivery, idempotency }: Pick<AcceptRequest, "delivery" | "idempotency">,
): { kind: "repeated" | "conflict"; deliveryId: string } | null {
  if (!idempotency || !first || first.acceptedAt < idempotency.notBefore) return null;
  const isConflict = first.bodySha256 !== delivery.bodySha256 && !idempotency.mayDiffer;
  return { kind: isConflict ? "conflict" : "repeated", deliveryId: first.deliveryId };
}

export interface StartedRunRow {
  id: string;
  trigger: string | null;
  attachmentId: string | null;
  kind: TargetKind;
  slug: string;
}

/**
 * The runs of the first response, from rows sorted by attachment and id. Later runs of the delivery (replays) have
 * later ids for the same attachment.
 */
export function toFirstRuns(rows: readonly StartedRunRow[]): AcceptedRun[] {
  const first = new Map<string, AcceptedRun>();
  for (const { id, trigger, attachmentId, kind, slug } of rows) {
    if (trigger === null || attachmentId === null || first.has(attachmentId)) continue;
    first.set(attachmentId, { runId: id, trigger, attachmentId, target: { kind, slug } });
  }
  return [...first.values()];
}
