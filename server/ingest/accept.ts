import type { SenderAnswer } from "../../sdk/definition.ts";
import { AppError } from "../contract/app-error.ts";
import type { DeliverySummary, VerdictList } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { Reply } from "../contract/project/endpoint.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import type { Idempotency } from "../domain/deliveries/idempotency.ts";
import { recordHeaders } from "../domain/deliveries/header-values.ts";
import { redactQuery, redactText } from "../domain/privacy/redaction.ts";
import {
  acceptedResponse,
  fixedResponse,
  problemResponse,
  replyTo,
  type ResponseParts,
  skippedResponse,
} from "../domain/deliveries/sender-response.ts";
import { toProblem, queueFull } from "../domain/problem.ts";
import { deliveredEvents, withWoken } from "../matching/delivered-events.ts";
import { type Decision, withRuns } from "../matching/match-triggers.ts";
import type {
  AcceptedRun,
  DeliveredEvents,
  DeliveryStore,
  NewDelivery,
  WokenRun,
} from "../ports/store/delivery-store.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import type { IngestResponse, Rejected, RequestHead } from "./ingest-request.ts";

/**
 * The end of a request: its delivery is completed and stored, then its response is made. `reject.ts` uses the same
 * parts for rejected requests.
 */

/** How an authenticated, readable delivery ended. It is on disk. */
export type Acceptance =
  | {
      kind: "accepted" | "repeated";
      delivery: NewDelivery;
      runs: readonly AcceptedRun[];
      /** The runs that waited for the delivery. */
      woke: readonly WokenRun[];
    }
  | { kind: "skipped" | "held"; delivery: NewDelivery }
  /** The sender verifies the endpoint, and receives `answer`. */
  | { kind: "challenged"; delivery: NewDelivery; answer: SenderAnswer }
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
    reply,
  }: { delivery: DeliveryDraft; decision: Decision; idempotency: Idempotency | null; reply: Reply | null },
): Promise<Acceptance | Rejected> {
  if (decision.outcome === "rejected" && idempotency === null) return { kind: "rejected", error: decision.rejection };
  const statusOf = (outcome: Parameters<typeof replyTo>[1], isHeld = false) =>
    replyTo(reply, outcome, { isHeld })?.status;
  const delivery = completeDelivery(head, draft, {
    outcome: decision.outcome,
    responseStatus:
      decision.outcome === "rejected"
        ? decision.responseStatus
        : (statusOf(decision.outcome) ?? decision.responseStatus),
    problem: decision.outcome === "rejected" ? toProblem(decision.rejection, head.secrets) : null,
    verdicts: decision.verdicts,
    unlistedVerdicts: decision.unlistedVerdicts,
  });
  const delivered = deliveredEvents(decision, { status: statusOf("accepted") });
  const result = await store.acceptDelivery({ delivery, runs: decision.runs, idempotency, delivered }, head.limit);
  if (result.kind === "conflict") return { kind: "rejected", error: idempotencyConflict(result.deliveryId) };
  if (result.kind === "full") return { kind: "rejected", error: queueFull(result.queue) };
  if (result.kind === "accepted") return recorded(delivery, decision, { delivered, woke: result.woke ?? [] });
  const { woke = [] } = result;
  const repeated: NewDelivery = {
    ...delivery,
    outcome: "repeated",
    responseStatus: statusOf("repeated", result.runs.length + woke.length === 0) ?? 202,
    problem: null,
    headers: { ...delivery.headers, [ownHeaders.repeatOf]: result.deliveryId },
    ...withRuns(decision.listWith(new Set(result.runs.map(({ attachmentId }) => attachmentId))), result.runs),
  };
  await store.recordDelivery(repeated, head.limit);
  return { kind: "repeated", delivery: repeated, runs: result.runs, woke };
}

function recorded(
  delivery: NewDelivery,
  decision: Decision,
  { delivered, woke }: { delivered: DeliveredEvents | undefined; woke: readonly WokenRun[] },
): Acceptance {
  if (decision.outcome === "accepted")
    return { kind: "accepted", delivery, runs: decision.runs.map(toAcceptedRun), woke };
  if (woke.length > 0)
    return {
      kind: "accepted",
      delivery: withWoken(delivery, { delivered, runs: 0, woke: woke.length }),
      runs: [],
      woke,
    };
  if (decision.outcome !== "rejected") return { kind: decision.outcome, delivery };
  return { kind: "mismatched", delivery, error: decision.rejection };
}

function toAcceptedRun({ id, trigger, attachmentId, target }: NewRun): AcceptedRun {
  return { runId: id, trigger: trigger ?? "", attachmentId: attachmentId ?? "", target };
}

function idempotencyConflict(deliveryId: string): AppError {
  return new AppError(
    "idempotency_conflict",
    `This idempotency key was accepted with another body, in delivery ${deliveryId}. Use a new key for a new event.`,
  );
}

/** The part of a response that does not depend on the outcome. `deliveryId` is `null` for unauthenticated requests. */
interface ResponseContext {
  deliveryId: string | null;
  closesConnection: boolean;
  /** Headers of this response only, such as those of the rate limits. They replace those of the problem. */
  headers?: Record<string, string>;
}

/** The response to a delivery that is on disk. `reply` replaces every response that is no handshake. */
export function respond(
  context: ResponseContext,
  acceptance: Acceptance,
  { secrets, reply }: { secrets: readonly string[]; reply: Reply | null },
): IngestResponse {
  const { kind } = acceptance;
  if (kind !== "challenged" && kind !== "mismatched") {
    const isHeld = kind === "repeated" && acceptance.runs.length + acceptance.woke.length === 0;
    const fixed = replyTo(reply, kind, { isHeld });
    if (fixed) return response(context, fixedResponse(fixed, { isRepeated: kind === "repeated" }));
  }
  switch (acceptance.kind) {
    case "accepted":
    case "repeated":
      return response(
        context,
        acceptedResponse(acceptance.runs, { isRepeated: acceptance.kind === "repeated", woke: acceptance.woke }),
      );
    case "skipped":
      return response(context, skippedResponse());
    case "held":
      return response(context, acceptedResponse([], { isRepeated: false }));
    case "challenged":
      return response(context, answerParts(acceptance.answer));
    case "mismatched":
      return respondProblem(context, acceptance.error, secrets, reply);
  }
}

function answerParts({ status, contentType, body, headers }: SenderAnswer): ResponseParts {
  return { status, body, headers: { ...headers, ...(contentType !== null && { "content-type": contentType }) } };
}

/** A problem (RFC 9457). `reply`: of the endpoint, which may replace the body. */
export function respondProblem(
  context: ResponseContext,
  error: AppError,
  secrets: readonly string[],
  reply: Reply | null = null,
): IngestResponse {
  return response(context, problemResponse(toProblem(error, secrets), reply));
}

/** `headers` become those of the response. */
function response(
  { deliveryId, closesConnection, headers: common }: ResponseContext,
  { status, body, headers }: ResponseParts,
): IngestResponse {
  if (common) Object.assign(headers, common);
  if (deliveryId !== null) headers["signalbox-delivery"] = deliveryId;
  // Senders are machines: caches and browsers must not interpret a response.
  headers["cache-control"] = "no-store";
  headers["x-content-type-options"] = "nosniff";
  return { status, headers, body, closesConnection };
}

/** A delivery before its outcome is known. */
export type DeliveryDraft = Omit<
  NewDelivery,
  "outcome" | "responseStatus" | "problem" | "durationMs" | keyof VerdictList
>;

/** `form`: a person with a session sends it from the app. */
export type SentFrom = "webhook" | "form";

const maxEndpoint = 256;

/** The delivery as its head describes it: without a body, on the endpoint that the path names. */
export function draftDelivery(head: RequestHead, keyId: string | null, sentFrom: SentFrom = "webhook"): DeliveryDraft {
  const headers = {
    ...recordHeaders({ headers: head.headers, repeated: head.repeatedHeaders }, head.secrets),
    ...(head.query !== "" && { [ownHeaders.query]: redactQuery(head.query, head.secrets) }),
  };
  return {
    id: head.id,
    endpoint: redactText(head.path.raw, head.secrets).slice(0, maxEndpoint),
    receivedAt: head.receivedAt,
    method: head.method,
    headers: sentFrom === "form" ? { ...headers, [ownHeaders.sentFrom]: "form" } : headers,
    body: null,
    bodyBytes: head.declaredBytes ?? 0,
    bodySha256: null,
    keyId,
    redeliveryOf: null,
  };
}

/** Records the URL that a signature covers. A redelivery checks the signature again, unless the URL has a key. */
export function recordUrl(draft: DeliveryDraft, url: string | null, secrets: readonly string[]): void {
  if (url !== null) draft.headers[ownHeaders.requestUrl] = redactText(url, secrets);
}

export function completeDelivery(
  { startedAt }: Pick<RequestHead, "startedAt">,
  draft: DeliveryDraft,
  end: Pick<NewDelivery, "outcome" | "responseStatus" | "problem" | keyof VerdictList>,
): NewDelivery {
  return { ...draft, ...end, durationMs: Math.round((performance.now() - startedAt) * 100) / 100 };
}

/** A delivery as lists show it, without its body. */
export function summarizeDelivery({
  body: _body,
  keyId: _keyId,
  receivedAt,
  ...delivery
}: NewDelivery): DeliverySummary {
  return { ...delivery, receivedAt: new Date(receivedAt).toISOString() };
}

/** What the receiver reports to metrics, logs and traces. */
export type ReceiverEvent =
  /** An authenticated delivery was recorded, `tookMs` after its head was received. */
  | { type: "delivery"; delivery: NewDelivery; woke?: readonly WokenRun[]; tookMs: number }
  /** A request was rejected, recorded or not. */
  | { type: "rejected"; code: ErrorCode }
  /** A request had no valid key, recorded or not. */
  | { type: "unauthenticated" }
  /** An authenticated request was rejected and not recorded: the store failed, or a recording limit was reached. */
  | { type: "unrecorded"; code: ErrorCode };

export function deliveryEvent(
  { startedAt }: Pick<RequestHead, "startedAt">,
  { delivery, woke = [] }: { delivery: NewDelivery; woke?: readonly WokenRun[] },
): ReceiverEvent {
  const tookMs = performance.now() - startedAt;
  return { type: "delivery", delivery, ...(woke.length > 0 && { woke }), tookMs };
}
