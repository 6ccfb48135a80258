import type { DeliveredEvents } from "../ports/store/delivery-store.ts";
import type { Decision } from "./match-triggers.ts";

/** The events of a delivery, for runs that wait for them. `undefined`: it has none. */
export function deliveredEvents(
  { events }: Pick<Decision, "events">,
  { status = 202 }: { status?: number | undefined } = {},
): DeliveredEvents | undefined {
  if (events.length === 0) return undefined;
  return { events, ifWoken: { outcome: "accepted", responseStatus: status, problem: null } };
}
