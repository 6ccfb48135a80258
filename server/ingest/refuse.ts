import { AppError } from "../contract/app-error.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import { createTokenBucket, type TokenBucket } from "../domain/token-bucket.ts";
import type { Logger } from "../ports/logger.ts";
import type { DeliveryStore, NewDelivery } from "../ports/store.ts";
import { type Arrival, draftDelivery } from "./arrival.ts";
import type { IngestResponse } from "./ingest-request.ts";
import { completeDelivery, contextOf, type Intake } from "./intake.ts";
import { problemToKeep } from "./problem-to-keep.ts";
import { answerProblem } from "./respond.ts";
import type { KeptPart, createUnverifiedBudget } from "./unverified-budget.ts";

interface RecordDeps {
  store: Pick<DeliveryStore, "recordDelivery">;
  logger: Logger;
  /** Throttled log for failures of every request while the store is unavailable; see createSeldomLog. */
  logStoreTrouble: Logger["error"];
  /** The same for a workflow that has too much to do. */
  logFullQueue: Logger["warn"];
  /** Counted, whether or not it is recorded. */
  countRejection: (code: ErrorCode) => void;
}

interface RefuseDeps extends RecordDeps {
  announce: (delivery: NewDelivery, arrival: Arrival) => void;
  /** Called for each request without a record. */
  announceUnrecorded: (code: ErrorCode) => void;
  budget: ReturnType<typeof createUnverifiedBudget>;
  limitedBudget: TokenBucket;
}

/**
 * The store did not take it, a queue or the memory is full, or the service closes: the sender must come again, and
 * nothing of this time is kept.
 */
const unrecorded = new Set<ErrorCode>(["store_unavailable", "queue_full", "overloaded", "shutting_down"]);

/** Answers an authenticated request that something is wrong with, and records it. */
export async function refuse(deps: RefuseDeps, intake: Intake, cause: unknown): Promise<IngestResponse> {
  const { arrival } = intake;
  const error = toAppError(deps, cause, arrival.id);
  deps.countRejection(error.code);
  const kept = keptPart(deps, intake, error);
  if (kept === "nothing") deps.announceUnrecorded(error.code);
  else {
    const problem = problemToKeep(error, arrival.secrets);
    const whole = completeDelivery(intake, {
      outcome: "rejected",
      responseStatus: problem.status,
      problem,
      verdicts: intake.verdicts,
    });
    const delivery = kept === "all" ? whole : { ...whole, body: null };
    if (await record(deps, delivery)) deps.announce(delivery, arrival);
  }
  return answerProblem(contextOf(intake), error, arrival.secrets);
}

function keptPart(deps: RefuseDeps, { arrival, delivery }: Intake, { code }: AppError): KeptPart {
  if (unrecorded.has(code)) return "nothing";
  if (code === "invalid_signature") return deps.budget(delivery, arrival.receivedAt);
  if (code !== "rate_limited") return "all";
  const turn = deps.limitedBudget.take(arrival.startedAt);
  if (turn.passes && turn.refused > 0)
    deps.logger.warn("rejected requests not recorded: too many over a rate limit", { unrecorded: turn.refused });
  return turn.passes ? "all" : "nothing";
}

/** Records enough rejected requests to show what happens, but not so many that a flood fills the disk. */
export function createRejectionBudget(): TokenBucket {
  return createTokenBucket({ perSecond: 10, burst: 50 });
}

/**
 * Answers requests that were not authenticated. They are recorded too, but only so many that a flood cannot fill the
 * disk.
 */
export function createRejectUnauthenticated(
  deps: RecordDeps & { announce: () => void },
): (arrival: Arrival, cause: unknown) => Promise<IngestResponse> {
  const budget = createRejectionBudget();
  return async (arrival, cause) => {
    const error = toAppError(deps, cause, arrival.id);
    deps.countRejection(error.code);
    if (error.code === "unauthorized") {
      deps.announce();
      const turn = budget.take(arrival.receivedAt);
      if (turn.passes && turn.refused > 0)
        deps.logger.warn("rejected requests not recorded: too many without a valid key", { unrecorded: turn.refused });
      if (turn.passes) await record(deps, unauthenticatedDelivery(arrival, error));
    }
    return answerProblem({ deliveryId: null, closesConnection: arrival.hasBody }, error, arrival.secrets);
  };
}

function unauthenticatedDelivery(arrival: Arrival, error: AppError): NewDelivery {
  const problem = problemToKeep(error, arrival.secrets);
  const delivery = draftDelivery(arrival, null);
  return completeDelivery(
    { arrival, delivery },
    { outcome: "rejected", responseStatus: problem.status, problem, verdicts: [] },
  );
}

/** The sender gets its answer also where the record of it is lost: nothing hangs on it. */
async function record(deps: RecordDeps, delivery: NewDelivery): Promise<boolean> {
  try {
    await deps.store.recordDelivery(delivery);
    return true;
  } catch (cause) {
    deps.logStoreTrouble("could not record a rejected delivery", {
      deliveryId: delivery.id,
      endpoint: delivery.endpoint,
      status: delivery.responseStatus,
      error: cause,
    });
    return false;
  }
}

/** An unexpected error is a defect: the log has the details, the sender gets none. */
function toAppError(
  { logger, logStoreTrouble, logFullQueue }: RecordDeps,
  cause: unknown,
  deliveryId: string,
): AppError {
  if (cause instanceof AppError) {
    if (cause.code === "store_unavailable") logStoreTrouble("could not store a delivery", { deliveryId, error: cause });
    if (cause.code === "queue_full") logFullQueue("queue full", { deliveryId, error: cause });
    return cause;
  }
  logger.error("receiver failed", { deliveryId, error: cause });
  return new AppError(
    "internal",
    `The service failed to handle this request. Its log has the details, with deliveryId ${deliveryId}.`,
    {
      cause,
    },
  );
}
