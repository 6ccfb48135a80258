import type { DeliveryOutcome, VerdictList } from "../../contract/delivery.ts";
import { ownHeaders } from "../../contract/own-headers.ts";

/**
 * A held delivery started no run and waits until it is released: it is then evaluated by the current triggers, and
 * starts a run for each match. These rules decide for all stores.
 */

/** Whether a delivery reserves its idempotency key. Repeats get its response and start nothing, also while it is held. */
export function reservesKey(outcome: DeliveryOutcome): boolean {
  return outcome === "accepted" || outcome === "held";
}

/** The change of a delivery that is released. */
export interface ReleasePlan extends VerdictList {
  outcome: DeliveryOutcome;
  headers: Record<string, string>;
}

/**
 * The change of a held delivery that triggers match now; `null`: it is not held, so it starts nothing. Decided in the
 * transaction that writes the change, so that each held delivery is released once.
 */
export function planRelease(
  found: { outcome: DeliveryOutcome; headers: Record<string, string> } | undefined,
  { verdicts, unlistedVerdicts, at }: VerdictList & { at: number },
): ReleasePlan | null {
  if (found?.outcome !== "held") return null;
  return {
    outcome: "accepted",
    headers: { ...found.headers, [ownHeaders.releasedAt]: new Date(at).toISOString() },
    verdicts,
    unlistedVerdicts,
  };
}

/** Whether the delivery was held before it started its runs. */
export function wasReleased({ headers }: { headers: Record<string, string> }): boolean {
  return headers[ownHeaders.releasedAt] !== undefined;
}
