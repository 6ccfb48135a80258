import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { deliveryOutcomes } from "../../ui/statuses.ts";

/** The number of redeliveries listed on a delivery's page, newest first. */
export const redeliveriesShown = 5;

/** The title of a delivery in the browser's tab: `✗ billing`. */
export function deliveryTitle({ outcome, endpoint }: Pick<DeliveryDetails, "outcome" | "endpoint">): string {
  return `${deliveryOutcomes[outcome].mark} ${endpoint}`;
}
