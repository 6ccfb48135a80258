import { AppError } from "../contract/app-error.ts";
import { noVerdicts } from "../contract/delivery.ts";
import type { Reply } from "../contract/project/endpoint.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import { toProblem } from "../domain/problem.ts";
import { createTokenBucket, type TokenBucket } from "../domain/requests/token-bucket.ts";
import { type Decision, withRuns } from "../matching/match-triggers.ts";
import type { Logger } from "../ports/logger.ts";
import type { DeliveryStore, NewDelivery } from "../ports/store/delivery-store.ts";
import {
  completeDelivery,
  deliveryEvent,
  type DeliveryDraft,
  draftDelivery,
  respondProblem,
  type ReceiverEvent,
} from "./accept.ts";
import type { IngestResponse, RequestHead } from "./ingest-request.ts";

/** What is known so far of an authenticated request. A rejection is recorded with it. */
export interface ReceivedRequest {
  head: RequestHead;
  delivery: DeliveryDraft;
  /** `null`: no trigger was evaluated. */
  decision: Decision | null;
  /** Of its response, in addition to those of every response. */
  responseHeaders: Record<string, string>;
  /** The fixed responses of the endpoint. */
  reply: Reply | null;
}

/** Responds to rejected requests and records them. Never rejects. */
interface Rejecter {
  rejectUnauthenticated(head: RequestHead, error: unknown): Promise<IngestResponse>;
  reject(request: ReceivedRequest, error: unknown): Promise<IngestResponse>;
}

/**
 * The store did not take it, a queue or the memory is full, or the service is shutting down: the sender retries, and
 * the request is not recorded.
 */
const unrecordedCodes = new Set<ErrorCode>(["store_unavailable", "queue_full", "overloaded", "shutting_down"]);

/** Requests are recorded within budgets, so that a flood cannot fill the disk. */
export function createRejecter({
  store,
  logger,
  emit,
}: {
  store: Pick<DeliveryStore, "recordDelivery">;
  logger: Logger;
  emit: (event: ReceiverEvent) => void;
}): Rejecter {
  const unauthenticatedBudget = createRequestBudget();
  const unauthenticatedBytes = createTokenBucket({ perSecond: (60 * mebibyte) / daySeconds, burst: 4 * mebibyte });
  const rateLimitedBudget = createRequestBudget();
  const newStoreLog = createTokenBucket({ perSecond: 1 / 60, burst: 1 });
  const takeUnverified = createUnverifiedBudget(logger);

  /** An unexpected error is a defect: the log has the details, the sender gets none. */
  function toAppError(error: unknown, { id: deliveryId, limit }: RequestHead): AppError {
    if (error instanceof AppError) {
      if (error.code === "store_unavailable") {
        // Any sender can do this, so it is no error of the store. If many do, the store is slow.
        if (limit.isAbandoned?.()) logger.warn("sender left before its delivery was stored", { deliveryId });
        else logger.error("could not store a delivery", { deliveryId, error });
      }
      if (error.code === "verification_failed")
        logger.error("check of a signature failed", { deliveryId, error: error.cause ?? error });
      if (error.code === "queue_full") logger.warn("queue full", { deliveryId, error });
      return error;
    }
    logger.error("receiver failed", { deliveryId, error });
    return new AppError(
      "internal",
      `The service failed to handle this request. Its log has the details, with deliveryId ${deliveryId}.`,
      { cause: error },
    );
  }

  /** Whether the budget admits a record. Reports how many requests it did not admit before. */
  function isWithin(budget: TokenBucket, now: number, reason: string, amount = 1): boolean {
    const turn = budget.take(now, amount);
    if (turn.passes && turn.rejected > 0)
      logger.warn(`rejected requests not recorded: too many ${reason}`, { unrecorded: turn.rejected });
    return turn.passes;
  }

  /** What is recorded of a request without a valid key; `null`: nothing. */
  function draftUnauthenticated(head: RequestHead): DeliveryDraft | null {
    const reason = "without a valid key";
    if (!isWithin(unauthenticatedBudget, head.receivedAt, reason)) return null;
    const draft = shortenHeaders(draftDelivery(head, null));
    return isWithin(unauthenticatedBytes, head.receivedAt, reason, bytesOf(draft)) ? draft : null;
  }

  function recordedPart({ head, delivery }: ReceivedRequest, code: ErrorCode): RecordedPart {
    if (unrecordedCodes.has(code)) return "nothing";
    if (code === "invalid_signature" || code === "verification_failed")
      return takeUnverified(delivery, head.receivedAt);
    if (code !== "rate_limited") return "all";
    return isWithin(rateLimitedBudget, head.startedAt, "over a rate limit") ? "all" : "nothing";
  }

  /** The sender gets its response even if the record is lost, and has its record even if it gets no response. */
  async function record({ limit: { by } }: RequestHead, delivery: NewDelivery): Promise<boolean> {
    try {
      await store.recordDelivery(delivery, { by });
      return true;
    } catch (error) {
      logger.error("could not record a rejected delivery", {
        deliveryId: delivery.id,
        endpoint: delivery.endpoint,
        status: delivery.responseStatus,
        error,
      });
      return false;
    }
  }

  return {
    async rejectUnauthenticated(head, cause) {
      const error = toAppError(cause, head);
      emit({ type: "rejected", code: error.code });
      if (error.code === "unauthorized" || error.code === "new_store") {
        emit({ type: "unauthenticated" });
        const draft = error.code === "unauthorized" ? draftUnauthenticated(head) : null;
        if (draft) await record(head, rejectedDelivery(head, draft, { error, decision: null }));
        else emit({ type: "unrecorded", code: error.code });
        if (error.code === "new_store" && newStoreLog.take(head.receivedAt).passes)
          logger.warn(
            "unknown key of a webhook, and none of the keys in this store was ever used: check that it is the right store",
          );
      }
      return respondProblem({ deliveryId: null, closesConnection: head.hasBody }, error, head.secrets);
    },
    async reject(request, cause) {
      const { head, delivery: draft, decision, responseHeaders, reply } = request;
      const error = toAppError(cause, head);
      emit({ type: "rejected", code: error.code });
      const part = recordedPart(request, error.code);
      if (part === "nothing") emit({ type: "unrecorded", code: error.code });
      else {
        const whole = rejectedDelivery(head, draft, { error, decision });
        const delivery = part === "all" ? whole : { ...whole, body: null };
        if (await record(head, delivery)) emit(deliveryEvent(head, { delivery }));
      }
      const closesConnection = head.hasBody && draft.body === null;
      const context = { deliveryId: head.id, closesConnection, headers: responseHeaders };
      return respondProblem(context, error, head.secrets, reply);
    },
  };
}

function rejectedDelivery(
  head: RequestHead,
  draft: DeliveryDraft,
  { error, decision }: { error: AppError; decision: Decision | null },
): NewDelivery {
  const problem = toProblem(error, head.secrets);
  const verdictList = decision === null ? noVerdicts : withRuns(decision, []);
  return completeDelivery(head, draft, {
    outcome: "rejected",
    responseStatus: problem.status,
    problem,
    ...verdictList,
  });
}

const mebibyte = 1024 * 1024;
const daySeconds = 24 * 60 * 60;
const maxHeaderChars = 200;
const maxHeadersChars = 2_000;
/** Of a record without headers, in the store. */
const recordBytes = 600;

/** Anyone can send them: long values are cut, and what exceeds 2,000 characters is left out. */
function shortenHeaders(draft: DeliveryDraft): DeliveryDraft {
  let left = maxHeadersChars;
  const kept = Object.entries(draft.headers).flatMap(([name, value]) => {
    const shown = value.length > maxHeaderChars ? `${value.slice(0, maxHeaderChars)}…` : value;
    left -= name.length + shown.length;
    return left < 0 ? [] : [[name, shown] as const];
  });
  return { ...draft, headers: Object.fromEntries(kept) };
}

const bytesOf = ({ headers, endpoint }: DeliveryDraft) =>
  recordBytes + endpoint.length + Buffer.byteLength(JSON.stringify(headers));

/** Enough to show what happens. */
function createRequestBudget(): TokenBucket {
  return createTokenBucket({ perSecond: 10, burst: 50 });
}

type RecordedPart = "all" | "all but the body" | "nothing";

/**
 * Requests with an invalid signature are recorded completely, so that they can be redelivered after a wrong secret is
 * fixed. Each endpoint has its own budget: a burst of 500 requests and 64 MiB, then 10 requests and 64 KiB per second.
 */
function createUnverifiedBudget(
  logger: Logger,
): (delivery: Pick<DeliveryDraft, "endpoint" | "body">, now: number) => RecordedPart {
  const budgets = new Map<string, { requests: TokenBucket; bytes: TokenBucket }>();
  return ({ endpoint, body }, now) => {
    // Bounded: only endpoints of the project verify signatures.
    const budget = budgets.get(endpoint) ?? {
      requests: createTokenBucket({ perSecond: 10, burst: 500 }),
      bytes: createTokenBucket({ perSecond: 64 * 1024, burst: 64 * 1024 * 1024 }),
    };
    budgets.set(endpoint, budget);
    const turn = budget.requests.take(now);
    if (!turn.passes) return "nothing";
    if (turn.rejected > 0)
      logger.warn("rejected requests not recorded: too many with an invalid signature", {
        endpoint,
        unrecorded: turn.rejected,
      });
    return body === null || budget.bytes.take(now, body.length).passes ? "all" : "all but the body";
  };
}
