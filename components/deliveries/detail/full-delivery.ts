import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { deliveryOutcomes } from "../../ui/statuses.ts";
import { readBody } from "../read-body.ts";

/** The number of redeliveries listed on a delivery's page, newest first. */
export const redeliveriesShown = 5;

/** The JSON that triggers evaluate, as text. `null`: the body is not text, or is not stored. */
export function evaluatedText({ body, evaluated }: Pick<DeliveryDetails, "body" | "evaluated">): string | null {
  return evaluated?.text ?? readBody(body)?.text ?? null;
}

/** The title of a delivery in the browser's tab: `✗ billing`. */
export function deliveryTitle({ outcome, endpoint }: Pick<DeliveryDetails, "outcome" | "endpoint">): string {
  return `${deliveryOutcomes[outcome].mark} ${endpoint}`;
}
