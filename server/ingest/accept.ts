import { AppError } from "../contract/app-error.ts";
import type { Verdict } from "../contract/verdict.ts";
import { idempotencyKeyOf, idempotencyWindowMs } from "../domain/idempotency.ts";
import type { Decision } from "../matching/decide-delivery.ts";
import type { AcceptedRun, DeliveryStore, NewDelivery, NewRun } from "../ports/store.ts";
import { completeDelivery, type Intake } from "./intake.ts";

/** How an authenticated, readable delivery ended. It is on disk. */
export type Acceptance =
  | { outcome: "accepted" | "repeated"; delivery: NewDelivery; runs: readonly AcceptedRun[] }
  | { outcome: "skipped"; delivery: NewDelivery };

/** Puts the delivery and its runs on disk, once for each idempotency key. Throws the decision's refusal, and AppError `idempotency_conflict`. */
export async function accept(store: Pick<DeliveryStore, "acceptDelivery" | "recordDelivery">, intake: Intake, decision: Decision): Promise<Acceptance> {
  const notStarted = decision.verdicts.map((verdict) => ({ ...verdict, runId: null }));
  intake.verdicts = notStarted;
  if (decision.outcome === "rejected") throw decision.refusal;
  const { outcome, responseStatus, verdicts, runs } = decision;
  const delivery = completeDelivery(intake, { outcome, responseStatus, problem: null, verdicts });
  if (decision.outcome === "skipped") {
    await store.recordDelivery(delivery);
    return { outcome: "skipped", delivery };
  }
  const key = idempotencyKeyOf(intake.arrival.headers);
  const idempotency = key === null ? null : { key, notBefore: delivery.receivedAt - idempotencyWindowMs };
  const result = await store.acceptDelivery({ delivery, runs, idempotency });
  if (result.kind === "conflict") {
    throw new AppError("idempotency_conflict", `This key was accepted with another body, as delivery ${result.deliveryId}. Use a new key for a new event.`);
  }
  if (result.kind === "accepted") return { outcome: "accepted", delivery, runs: runs.map(toAcceptedRun) };
  const repeated = { ...delivery, outcome: "repeated" as const, verdicts: withFirstRuns(notStarted, result.runs) };
  await store.recordDelivery(repeated);
  return { outcome: "repeated", delivery: repeated, runs: result.runs };
}

function toAcceptedRun({ id, trigger, attachmentId, target }: NewRun): AcceptedRun {
  return { runId: id, trigger: trigger ?? "", attachmentId: attachmentId ?? "", target };
}

function withFirstRuns(verdicts: readonly Verdict[], runs: readonly AcceptedRun[]): Verdict[] {
  return verdicts.map((verdict) => ({ ...verdict, runId: runs.find((run) => run.attachmentId === verdict.attachmentId)?.runId ?? null }));
}
