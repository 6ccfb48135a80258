import type { DeliveredEvents, NewDelivery } from "../ports/store/delivery-store.ts";
import type { Decision } from "./match-triggers.ts";

/** The events of a delivery, for runs that wait for them. `undefined`: it has none. */
export function deliveredEvents(
  { events }: Pick<Decision, "events">,
  { status = 202 }: { status?: number | undefined } = {},
): DeliveredEvents | undefined {
  if (events.length === 0) return undefined;
  return { events, ifWoken: { outcome: "accepted", responseStatus: status, problem: null } };
}

/** A delivery as it is recorded: one that starts no run, but wakes one, was accepted. */
export function withWoken(
  delivery: NewDelivery,
  p: { delivered: Pick<DeliveredEvents, "ifWoken"> | undefined; runs: number; woke: number },
): NewDelivery {
  return p.woke > 0 && p.runs === 0 ? { ...delivery, ...p.delivered?.ifWoken } : delivery;
}
