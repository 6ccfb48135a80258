import type { DeliverySummary } from "../../server/contract/delivery.ts";
import { StatusBadge } from "../ui/badges.tsx";
import { deliveryOutcomes } from "../ui/statuses.ts";

/** The response status and the outcome of a delivery. */
export function OutcomeBadge({
  delivery: { outcome, responseStatus },
}: {
  delivery: Pick<DeliverySummary, "outcome" | "responseStatus">;
}) {
  const face = deliveryOutcomes[outcome];
  return <StatusBadge status={face} label={`${responseStatus} ${face.label}`} />;
}
