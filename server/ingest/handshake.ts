import type { SenderAnswer, SignedRequest, VerificationDefinition } from "../../sdk/definition.ts";
import { AppError } from "../contract/app-error.ts";
import { noVerdicts } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { Json } from "../contract/json.ts";
import type { Methods } from "../contract/project/endpoint.ts";
import { redacted } from "../domain/privacy/redaction.ts";
import { allowedMethods, answerChallenge } from "../domain/requests/challenge.ts";
import { answerWithinTime, signatureError } from "../domain/requests/check-signature.ts";
import type { TriggerSource } from "../ports/project.ts";
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

/**
 * The answer to a test that the endpoint describes (`challenge`); `null`: the request is none, or has to be read first.
 * Throws AppError `unsupported_handshake`.
 */
export function answerTest(
  { challenges, methods }: Pick<TriggerSource, "challenges" | "methods">,
  { method, target }: IngestRequest,
  { head, draft, body }: { head: RequestHead; draft: DeliveryDraft; body?: Json },
): Handshake | null {
  if (challenges === undefined || challenges.length === 0) return null;
  const header = (name: string) => head.headers.get(name) ?? null;
  const tested = { method, target, header, secrets: head.secrets, ...(body !== undefined && { body }) };
  const answered = answerChallenge(challenges, tested);
  if (answered?.secretHeader) draft.headers[answered.secretHeader] = redacted;
  if (answered && method === "OPTIONS") {
    const { answer } = answered;
    return {
      ...answered,
      answer: {
        ...answer,
        headers: { ...answer.headers, allow: allowedMethods({ challenges, ...(methods && { methods }) }) },
      },
    };
  }
  return answered;
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
  await store.recordDelivery(delivery, head.limit);
  return { kind: "challenged", delivery, answer };
}

/** Parameters by which senders verify a URL with GET, and the options that answer them. */
const handshakes = [
  ["hub.challenge", 'verify: meta({ … }), challenge: "webSub" or challenge: "strava"'],
  ["validationToken", "verify: microsoftGraph({ … })"],
  ["challenge", 'challenge: "dropbox", or { method: "GET", echo: { query: "challenge" } }'],
  ["crc_token", "verify: twitter({ … })"],
  ["challengeCode", "verify: linkedin({ … })"],
] as const;

const alternatives = new Intl.ListFormat("en", { type: "disjunction" });

/** The rejection of a request whose method the endpoint does not accept. `methods`: those of its webhooks. */
export function explainMethod(
  { method, target }: Pick<IngestRequest, "method" | "target">,
  methods: Methods,
): AppError {
  const parameters = method === "GET" ? new URLSearchParams(target.split("?", 2)[1]) : null;
  const handshake = handshakes.find(([name]) => parameters?.has(name));
  if (!handshake) return new AppError("method_not_allowed", `Send webhooks as ${alternatives.format(methods)}.`);
  const [name, option] = handshake;
  return new AppError(
    "unsupported_handshake",
    `The sender verifies this URL with GET and the parameter ${name}, and the endpoint does not answer it. Set ${option} in the sources of the endpoint, which answers it.`,
  );
}
