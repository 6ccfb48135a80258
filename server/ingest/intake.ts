import type { Problem } from "../contract/problem.ts";
import type { DeliveryOutcome } from "../contract/delivery.ts";
import type { Verdicts } from "../domain/verdict-list.ts";
import type { NewDelivery } from "../ports/store.ts";
import { type Arrival, type DeliveryDraft, draftDelivery } from "./arrival.ts";
import type { AnswerContext } from "./respond.ts";

/** What the stations have found out about an authenticated request so far; each fills in its part. */
export interface Intake {
  arrival: Arrival;
  delivery: DeliveryDraft;
  verdicts: Verdicts;
  isBodyRead: boolean;
  /** The headers of the rate limits, for every response. */
  limitHeaders: Record<string, string>;
}

export function beginIntake(arrival: Arrival, keyId: string | null): Intake {
  return { arrival, delivery: draftDelivery(arrival, keyId), verdicts: [], isBodyRead: false, limitHeaders: {} };
}

export function completeDelivery(
  { arrival, delivery }: Pick<Intake, "arrival" | "delivery">,
  end: { outcome: DeliveryOutcome; responseStatus: number; problem: Problem | null; verdicts: Verdicts },
): NewDelivery {
  return { ...delivery, ...end, durationMs: Math.round((performance.now() - arrival.startedAt) * 100) / 100 };
}

export function contextOf({ arrival, isBodyRead, limitHeaders }: Intake): AnswerContext {
  return { deliveryId: arrival.id, closesConnection: arrival.hasBody && !isBodyRead, headers: limitHeaders };
}
