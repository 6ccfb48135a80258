import { AppError } from "../contract/app-error.ts";
import type { Idempotency } from "../domain/idempotency.ts";
import { queueFull } from "../domain/queue-full.ts";
import { listVerdicts, mapOwnVerdicts, ownVerdicts, type Verdicts } from "../domain/verdict-list.ts";
import type { Decision } from "../matching/decide-delivery.ts";
import type { AcceptedRun, DeliveryStore, NewDelivery, NewRun } from "../ports/store.ts";
import { completeDelivery, type Intake } from "./intake.ts";
import { problemToKeep } from "./problem-to-keep.ts";

/** How an authenticated, readable delivery ended. It is on disk. */
export type Acceptance =
  | { outcome: "accepted" | "repeated"; delivery: NewDelivery; runs: readonly AcceptedRun[] }
  | { outcome: "skipped"; delivery: NewDelivery }
  /** The sender verifies the endpoint, and receives `answer`. */
  | { outcome: "challenged"; delivery: NewDelivery; answer: object }
  | { outcome: "rejected"; delivery: NewDelivery; refusal: AppError };

/**
 * Stores the delivery and its runs on disk, unless its idempotency key was accepted before: the first response then
 * applies, even if the triggers would now decide differently. Throws the refusal of the decision, AppError
 * `idempotency_conflict`, and `queue_full`.
 */
export async function accept(
  store: Pick<DeliveryStore, "acceptDelivery" | "recordDelivery">,
  intake: Intake,
  decision: Decision,
  idempotency: Idempotency | null,
): Promise<Acceptance> {
  const notStarted = mapOwnVerdicts(decision.verdicts, (verdict) =>
    verdict.runId === null ? verdict : { ...verdict, runId: null },
  );
  intake.verdicts = notStarted;
  if (decision.outcome === "rejected" && idempotency === null) throw decision.refusal;
  const delivery = decidedDelivery(intake, decision);
  const result = await store.acceptDelivery({ delivery, runs: decision.runs, idempotency });
  if (result.kind === "conflict") {
    throw new AppError(
      "idempotency_conflict",
      `This idempotency key was accepted with another body, in delivery ${result.deliveryId}. Use a new key for a new event.`,
    );
  }
  if (result.kind === "full") throw queueFull(result.queue);
  if (result.kind === "accepted") return accepted(delivery, decision);
  const repeated: NewDelivery = {
    ...delivery,
    outcome: "repeated",
    responseStatus: 202,
    problem: null,
    verdicts: withFirstRuns(notStarted, result.runs),
  };
  await store.recordDelivery(repeated);
  return { outcome: "repeated", delivery: repeated, runs: result.runs };
}

/** Records a challenge. It is skipped: no trigger was asked. */
export async function acceptChallenge(
  store: Pick<DeliveryStore, "recordDelivery">,
  intake: Intake,
  answer: object,
): Promise<Acceptance> {
  const delivery = completeDelivery(intake, { outcome: "skipped", responseStatus: 200, problem: null, verdicts: [] });
  await store.recordDelivery(delivery);
  return { outcome: "challenged", delivery, answer };
}

function decidedDelivery(intake: Intake, { outcome, responseStatus, verdicts, ...decision }: Decision): NewDelivery {
  const problem = "refusal" in decision ? problemToKeep(decision.refusal, intake.arrival.secrets) : null;
  return completeDelivery(intake, { outcome, responseStatus, problem, verdicts });
}

function accepted(delivery: NewDelivery, decision: Decision): Acceptance {
  if (decision.outcome === "accepted") return { outcome: "accepted", delivery, runs: decision.runs.map(toAcceptedRun) };
  if (decision.outcome === "skipped") return { outcome: "skipped", delivery };
  return { outcome: "rejected", delivery, refusal: decision.refusal };
}

function toAcceptedRun({ id, trigger, attachmentId, target }: NewRun): AcceptedRun {
  return { runId: id, trigger: trigger ?? "", attachmentId: attachmentId ?? "", target };
}

function withFirstRuns(verdicts: Verdicts, runs: readonly AcceptedRun[]): Verdicts {
  const runIds = new Map(runs.map(({ attachmentId, runId }) => [attachmentId, runId]));
  const own = new Set(ownVerdicts(verdicts).map(({ attachmentId }) => attachmentId));
  // A trigger that matched then may say something else today, in common with others.
  const open = runs.every(({ attachmentId }) => own.has(attachmentId)) ? verdicts : listVerdicts(verdicts);
  return mapOwnVerdicts(open, (verdict) => ({ ...verdict, runId: runIds.get(verdict.attachmentId) ?? null }));
}
