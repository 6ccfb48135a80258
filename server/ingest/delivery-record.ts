import { type DeliverySummary, ownHeaders, type VerdictList } from "../contract/delivery.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import { redactHeaders, redactText } from "../domain/deliveries/redaction.ts";
import type { NewDelivery } from "../ports/store/delivery-store.ts";
import type { HeaderMap, RequestHead } from "./ingest-request.ts";

/** A delivery before its outcome is known. */
export type DeliveryDraft = Omit<
  NewDelivery,
  "outcome" | "responseStatus" | "problem" | "durationMs" | keyof VerdictList
>;

/** `form`: a person with a session sends it from the app. */
export type SentFrom = "webhook" | "form";

const maxEndpoint = 256;
const ownHeaderNames = new Set<string>(Object.values(ownHeaders));

/** The delivery as its head describes it: without a body, on the endpoint that the path names. */
export function draftDelivery(head: RequestHead, keyId: string | null, sentFrom: SentFrom = "webhook"): DeliveryDraft {
  const headers = redactHeaders(withoutOwnHeaders(head.headers), head.secrets);
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

/** A sender cannot set the headers that the service writes into the record. */
function withoutOwnHeaders(headers: HeaderMap): HeaderMap {
  return Object.values(ownHeaders).some((name) => headers.has(name))
    ? new Map([...headers].filter(([name]) => !ownHeaderNames.has(name)))
    : headers;
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
  | { type: "delivery"; delivery: NewDelivery; tookMs: number }
  /** A request was rejected, recorded or not. */
  | { type: "rejected"; code: ErrorCode }
  /** A request had no valid key, recorded or not. */
  | { type: "unauthenticated" }
  /** An authenticated request was rejected and not recorded: the store failed, or a recording limit was reached. */
  | { type: "unrecorded"; code: ErrorCode };

export function deliveryEvent({ startedAt }: Pick<RequestHead, "startedAt">, delivery: NewDelivery): ReceiverEvent {
  return { type: "delivery", delivery, tookMs: performance.now() - startedAt };
}
