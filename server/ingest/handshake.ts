import type { SenderAnswer, SignedRequest, VerificationDefinition } from "../../sdk/definition.ts";
import { AppError } from "../contract/app-error.ts";
import { noVerdicts } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { Json } from "../contract/json.ts";
import { answerWithinTime, signatureError } from "../domain/requests/check-signature.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import { type Acceptance, completeDelivery, type DeliveryDraft } from "./accept.ts";
import type { IngestRequest, Rejected, RequestHead } from "./ingest-request.ts";

/**
 * Requests by which a sender verifies an endpoint before it sends events. The endpoint's `verify` answers them,
 * unsigned before the body is read, or signed after the signature was checked. No trigger is evaluated.
 */

interface Handshake {
  answer: SenderAnswer;
  /** The scheme that answers. */
  scheme: string;
}

/** The answer to an unsigned request of this kind, or its rejection; `null`: the request is no handshake. */
export function answerGreeting(
  verification: VerificationDefinition,
  { method, target }: IngestRequest,
): ({ kind: "answered" } & Handshake) | Rejected | null {
  const greeting = verification.greet({ method, target });
  if (greeting === null) return null;
  return "kind" in greeting
    ? { kind: "rejected", error: signatureError(greeting) }
    : { kind: "answered", answer: greeting, scheme: verification.scheme };
}

/**
 * The answer to a challenge in a body whose signature was checked; `null`: the body is an event. An answer that needs
 * time is given to genuine requests only. Rejects with AppError `verification_failed` if it takes too long, or fails.
 */
export function answerToChallenge(
  verification: VerificationDefinition | null | undefined,
  body: Json,
  request: SignedRequest,
  p: { isGenuine: boolean; maxMs?: number | undefined },
): Handshake | null | Promise<Handshake | null> {
  if (!verification) return null;
  const { scheme, isTimed } = verification;
  const toHandshake = (answer: SenderAnswer | null) => answer && { answer, scheme };
  if (isTimed) return p.isGenuine ? answerWithinTime(verification, body, request, p.maxMs).then(toHandshake) : null;
  const answer = verification.answer(body, request);
  return answer instanceof Promise ? null : toHandshake(answer);
}

/** Records a handshake as skipped: no trigger is evaluated. */
export async function acceptHandshake(
  store: Pick<DeliveryStore, "recordDelivery">,
  head: RequestHead,
  draft: DeliveryDraft,
  { answer, scheme }: Handshake,
): Promise<Acceptance> {
  draft.headers[ownHeaders.handshake] = scheme;
  const end = { outcome: "skipped" as const, responseStatus: answer.status, problem: null, ...noVerdicts };
  const delivery = completeDelivery(head, draft, end);
  await store.recordDelivery(delivery);
  return { kind: "challenged", delivery, answer };
}

/** Parameters by which senders verify a URL with GET, and the function of `signalbox/verify` that answers them. */
const handshakes = [
  ["hub.challenge", "meta"],
  ["validationToken", "microsoftGraph"],
  ["challenge", null],
  ["crc_token", null],
] as const;

/** The rejection of a request that is not a POST. */
export function explainMethod({ method, target }: Pick<IngestRequest, "method" | "target">): AppError {
  const parameters = method === "GET" ? new URLSearchParams(target.split("?", 2)[1]) : null;
  const handshake = handshakes.find(([name]) => parameters?.has(name));
  if (!handshake) return new AppError("method_not_allowed", "Send webhooks as POST.");
  const [name, answeredBy] = handshake;
  const fix =
    answeredBy === null
      ? "No function of signalbox/verify answers it. Receive the events of this sender through a service that does."
      : `Set verify: ${answeredBy}({ … }) in the sources of the endpoint, which answers it.`;
  return new AppError(
    "unsupported_handshake",
    `The sender verifies this URL with GET and the parameter ${name}, and the endpoint does not answer it. ${fix}`,
  );
}
