import type { Delivery, SenderResponse, Verdict, VerdictList } from "../../contract/delivery.ts";
import { countVerdicts } from "../../shared/deliveries/describe-reason.ts";
import { ownHeaders } from "../../contract/own-headers.ts";
import type { ErrorCode } from "../../contract/error-codes.ts";
import type { BodyFormat, Challenge, FixedReply, Methods, Reply } from "../../contract/project/endpoint.ts";
import type { Problem } from "../../contract/problem.ts";
import { allowedMethods } from "../requests/challenge.ts";
import { acceptedTypes, onlyJson } from "../requests/body-format.ts";

/** The part of a response that depends on the outcome of the delivery. The receiver adds the other headers. */
export interface ResponseParts {
  status: number;
  body: string;
  headers: Record<string, string>;
}

const jsonHeaders = { "content-type": "application/json" };
const repeatedHeaders = { "idempotent-replayed": "true" };

/**
 * To an accepted or repeated delivery. `woke`: the runs that waited for it. Without runs of either kind, the delivery
 * is held, or repeats a held one.
 */
export function acceptedResponse(
  runs: readonly { runId: string; trigger: string; target: Verdict["target"] }[],
  { isRepeated, woke = [] }: { isRepeated: boolean; woke?: readonly { runId: string }[] | undefined },
): ResponseParts {
  const [first] = [...runs, ...woke];
  const repeated = isRepeated ? repeatedHeaders : {};
  if (!first)
    return { status: 202, body: JSON.stringify({ ok: true, held: true }), headers: { ...jsonHeaders, ...repeated } };
  const { runId } = first;
  const body = {
    ok: true,
    runId,
    runs: runs.map(({ runId, trigger, target }) => ({ runId, trigger, target })),
    ...(woke.length > 0 && { woke: woke.map(({ runId }) => ({ runId })) }),
  };
  return {
    status: 202,
    body: JSON.stringify(body),
    headers: { ...jsonHeaders, location: `/api/v1/runs/${runId}`, ...repeated },
  };
}

export function skippedResponse(): ResponseParts {
  return { status: 200, body: JSON.stringify({ ok: true, skipped: true }), headers: { ...jsonHeaders } };
}

/** The fixed response of an endpoint to an outcome; `null`: the usual JSON. `isHeld`: the first request was held. */
export function replyTo(
  reply: Reply | null,
  outcome: "accepted" | "skipped" | "repeated" | "held",
  { isHeld }: { isHeld: boolean },
): FixedReply | null {
  if (reply === null || "status" in reply) return reply;
  const named = reply[outcome] ?? (outcome === "repeated" ? reply[isHeld ? "held" : "accepted"] : undefined);
  return named ?? null;
}

/** The fixed response of an endpoint. */
export function fixedResponse(reply: FixedReply, { isRepeated }: { isRepeated: boolean }): ResponseParts {
  const { status, body, headers } = reply;
  return { status, body, headers: { ...headers, ...(isRepeated && repeatedHeaders) } };
}

/** A problem (RFC 9457), unless the endpoint replaces its body. The status and the headers of the protocol stay. */
export function problemResponse(problem: Problem, reply: Reply | null = null): ResponseParts {
  const { status, code } = problem;
  const fixed = reply && "rejected" in reply && !unreplacedCodes.has(code) ? reply.rejected : undefined;
  const content = fixed ?? {
    body: JSON.stringify(problem),
    headers: { "content-type": "application/problem+json" },
  };
  return { status, body: content.body, headers: { ...content.headers, ...problemHeaders[code as ErrorCode] } };
}

/** Problems that follow from the key alone. */
const unreplacedCodes: ReadonlySet<string> = new Set<ErrorCode>(["unauthorized", "new_store", "rate_limited"]);

const problemHeaders: Partial<Record<ErrorCode, Record<string, string>>> = {
  // Some senders send the credentials in a URL only after they were asked for them.
  unauthorized: { "www-authenticate": 'Bearer, Basic realm="webhooks"' },
  invalid_signature: { "www-authenticate": "Signature" },
  new_store: { "retry-after": "60" },
  queue_full: { "retry-after": "10" },
  store_unavailable: { "retry-after": "2" },
  overloaded: { "retry-after": "2" },
  shutting_down: { "retry-after": "5" },
};

type Recorded = Pick<
  Delivery,
  "id" | "woke" | "outcome" | "responseStatus" | "problem" | "body" | "headers" | "redeliveryOf" | keyof VerdictList
>;

/**
 * The response that the sender of a recorded delivery received, without the headers that every response has. `null`: it
 * has no sender, because it was delivered again. `endpoint`: its fixed response, and the formats that it accepts.
 */
export function sentResponse(
  delivery: Recorded,
  endpoint: {
    reply?: Reply | null;
    body?: readonly BodyFormat[];
    challenges?: readonly Challenge[];
    methods?: Methods;
  } = {},
): SenderResponse | null {
  if (delivery.redeliveryOf !== null || delivery.headers[ownHeaders.origin] !== undefined) return null;
  const isForm = delivery.headers[ownHeaders.sentFrom] !== undefined;
  const { body, headers } = partsOf(delivery, isForm ? null : (endpoint.reply ?? null));
  // A sender without a valid key does not learn the id of the delivery.
  const own: Record<string, string> =
    delivery.problem?.code === "unauthorized" ? {} : { "signalbox-delivery": delivery.id };
  if (delivery.problem?.status === 405) own["allow"] = allowedMethods(endpoint);
  if (delivery.problem?.code === "unsupported_media_type") own["accept"] = acceptedTypes(endpoint.body ?? onlyJson);
  return { status: delivery.responseStatus, body, headers: { ...headers, ...own } };
}

type Parts = Pick<SenderResponse, "body" | "headers">;

function partsOf(delivery: Recorded, reply: Reply | null): Parts {
  const { outcome, responseStatus, problem, verdicts, body, headers, woke = [] } = delivery;
  const isRepeated = outcome === "repeated";
  if (problem) return problemResponse(problem, reply);
  // The answer of the sender's scheme is not stored, unless the body has it.
  if (headers[ownHeaders.handshake] !== undefined)
    return { body: responseStatus === 204 ? "" : challengeIn(body), headers: {} };
  // The response to a held delivery has no runs, and stays the same after the release.
  const isReleased = headers[ownHeaders.releasedAt] !== undefined;
  const runs = isReleased
    ? []
    : verdicts.flatMap(({ runId, ...verdict }) => (runId === null ? [] : [{ ...verdict, runId }]));
  const isHeld = outcome === "held" || isReleased || (isRepeated && runs.length === 0 && woke.length === 0);
  const fixed = replyTo(reply, isReleased || outcome === "rejected" ? "held" : outcome, { isHeld });
  if (fixed && fixed.status === responseStatus) return fixedResponse(fixed, { isRepeated });
  if (outcome === "skipped") {
    const skipped = skippedResponse();
    const challenge = countVerdicts(delivery) === 0 ? challengeIn(body) : null;
    return challenge === null ? skipped : { ...skipped, body: challenge };
  }
  // It only woke runs, which retention has removed.
  if (outcome === "accepted" && !isReleased && runs.length + woke.length === 0) return { body: null, headers: {} };
  return acceptedResponse(runs, { isRepeated, woke: isReleased ? [] : woke });
}

/** The response to a URL verification of Slack: the challenge that the sender sent. No trigger is evaluated. */
function challengeIn(body: string | null): string | null {
  try {
    const json: unknown = JSON.parse(Buffer.from(body ?? "", "base64").toString());
    if (typeof json !== "object" || json === null || !("challenge" in json)) return null;
    return typeof json.challenge === "string" ? JSON.stringify({ challenge: json.challenge }) : null;
  } catch {
    return null;
  }
}
