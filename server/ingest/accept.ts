import { AppError } from "../contract/app-error.ts";
import { noVerdicts, type VerdictList } from "../contract/delivery.ts";
import type { Idempotency } from "../domain/deliveries/idempotency.ts";
import { toProblem } from "../domain/problem.ts";
import { queueFull } from "../domain/runs/new-run.ts";
import type { Decision } from "../matching/decide-delivery.ts";
import type { AcceptedRun, DeliveryStore, NewDelivery } from "../ports/store/delivery-store.ts";
import type { NewRun } from "../ports/store/run-store.ts";
import { completeDelivery, type DeliveryDraft } from "./delivery-record.ts";
import type { Rejected, RequestHead } from "./ingest-request.ts";

/** How an authenticated, readable delivery ended. It is on disk. */
export type Acceptance =
  | { kind: "accepted" | "repeated"; delivery: NewDelivery; runs: readonly AcceptedRun[] }
  | { kind: "skipped"; delivery: NewDelivery }
  /** The sender verifies the endpoint, and receives `answer`. */
  | { kind: "challenged"; delivery: NewDelivery; answer: object }
  /** The body fails the `request` of the only trigger. */
  | { kind: "mismatched"; delivery: NewDelivery; error: AppError };

/**
 * Stores the delivery and its runs on disk, unless its idempotency key was accepted before: the first response then
 * applies, even if the triggers would now decide differently. Rejected, with nothing recorded: a body that mismatches
 * and has no key, AppError `idempotency_conflict`, and `queue_full`.
 */
export async function accept(
  store: Pick<DeliveryStore, "acceptDelivery" | "recordDelivery">,
  head: RequestHead,
  {
    delivery: draft,
    decision,
    idempotency,
  }: { delivery: DeliveryDraft; decision: Decision; idempotency: Idempotency | null },
): Promise<Acceptance | Rejected> {
  if (decision.outcome === "rejected" && idempotency === null) return { kind: "rejected", error: decision.refusal };
  const delivery = completeDelivery(head, draft, {
    outcome: decision.outcome,
    responseStatus: decision.responseStatus,
    problem: decision.outcome === "rejected" ? toProblem(decision.refusal, head.secrets) : null,
    verdicts: decision.verdicts,
    unlistedVerdicts: decision.unlistedVerdicts,
  });
  const result = await store.acceptDelivery({ delivery, runs: decision.runs, idempotency });
  if (result.kind === "conflict") return { kind: "rejected", error: idempotencyConflict(result.deliveryId) };
  if (result.kind === "full") return { kind: "rejected", error: queueFull(result.queue) };
  if (result.kind === "accepted") return recorded(delivery, decision);
  const repeated: NewDelivery = {
    ...delivery,
    outcome: "repeated",
    responseStatus: 202,
    problem: null,
    ...withRuns(decision.listWith(new Set(result.runs.map(({ attachmentId }) => attachmentId))), result.runs),
  };
  await store.recordDelivery(repeated);
  return { kind: "repeated", delivery: repeated, runs: result.runs };
}

/** Records a challenge as skipped: no trigger is evaluated. */
export async function acceptChallenge(
  store: Pick<DeliveryStore, "recordDelivery">,
  head: RequestHead,
  draft: DeliveryDraft,
  answer: object,
): Promise<Acceptance> {
  const end = { outcome: "skipped" as const, responseStatus: 200, problem: null, ...noVerdicts };
  const delivery = completeDelivery(head, draft, end);
  await store.recordDelivery(delivery);
  return { kind: "challenged", delivery, answer };
}

function recorded(delivery: NewDelivery, decision: Decision): Acceptance {
  if (decision.outcome === "accepted") return { kind: "accepted", delivery, runs: decision.runs.map(toAcceptedRun) };
  if (decision.outcome === "skipped") return { kind: "skipped", delivery };
  return { kind: "mismatched", delivery, error: decision.refusal };
}

function toAcceptedRun({ id, trigger, attachmentId, target }: NewRun): AcceptedRun {
  return { runId: id, trigger: trigger ?? "", attachmentId: attachmentId ?? "", target };
}

/** The same verdicts, with the ids of these runs only. */
export function withRuns({ verdicts, unlistedVerdicts }: VerdictList, runs: readonly AcceptedRun[]): VerdictList {
  const runIds = new Map(runs.map(({ attachmentId, runId }) => [attachmentId, runId]));
  return {
    verdicts: verdicts.map((verdict) => ({ ...verdict, runId: runIds.get(verdict.attachmentId) ?? null })),
    unlistedVerdicts,
  };
}

function idempotencyConflict(deliveryId: string): AppError {
  return new AppError(
    "idempotency_conflict",
    `This idempotency key was accepted with another body, in delivery ${deliveryId}. Use a new key for a new event.`,
  );
}
