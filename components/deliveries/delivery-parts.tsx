import Link from "next/link";
import type { DeliveryDetails, DeliverySummary } from "../../server/contract/delivery.ts";
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

/** Opens the sheet of an endpoint. */
export function EndpointLink({ endpoint }: { endpoint: string }) {
  const href = `/?node=${encodeURIComponent(`endpoint:${endpoint}`)}`;
  return (
    <Link href={href} prefetch={false} className="font-mono text-accent hover:underline">
      {endpoint}
    </Link>
  );
}

/** The number of runs that a page names of those that a delivery woke, oldest first. */
export const wokenShown = 5;

/** The number of redeliveries listed on a delivery's page, newest first. */
export const redeliveriesShown = 5;

/** The title of a delivery in the browser's tab: `✗ billing`. */
export function deliveryTitle({ outcome, endpoint }: Pick<DeliveryDetails, "outcome" | "endpoint">): string {
  return `${deliveryOutcomes[outcome].mark} ${endpoint}`;
}
