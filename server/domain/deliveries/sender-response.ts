import type { Delivery, SenderResponse, Verdict, VerdictList } from "../../contract/delivery.ts";
import { countVerdicts } from "./describe-reason.ts";
import { ownHeaders } from "../../contract/own-headers.ts";
import type { ErrorCode } from "../../contract/error-codes.ts";
import type { BodyFormat, Reply } from "../../contract/project/endpoint.ts";
import type { Problem } from "../../contract/problem.ts";
import { acceptedTypes, onlyJson } from "../requests/body-format.ts";

/** The part of a response that depends on the outcome of the delivery. The receiver adds the other headers. */
export interface ResponseParts {
  status: number;
  body: string;
  headers: Record<string, string>;
}

const jsonHeaders = { "content-type": "application/json" };
const repeatedHeaders = { "idempotent-replayed": "true" };

/** To an accepted or repeated delivery. Without runs, the delivery is held, or repeats a held one. */
export function acceptedResponse(
  runs: readonly { runId: string; trigger: string; target: Verdict["target"] }[],
  { isRepeated }: { isRepeated: boolean },
): ResponseParts {
  const [first] = runs;
  const repeated = isRepeated ? repeatedHeaders : {};
  if (!first)
    return { status: 202, body: JSON.stringify({ ok: true, held: true }), headers: { ...jsonHeaders, ...repeated } };
  const { runId } = first;
  const body = { ok: true, runId, runs: runs.map(({ runId, trigger, target }) => ({ runId, trigger, target })) };
  return {
    status: 202,
    body: JSON.stringify(body),
    headers: { ...jsonHeaders, location: `/api/v1/runs/${runId}`, ...repeated },
  };
}

export function skippedResponse(): ResponseParts {
  return { status: 200, body: JSON.stringify({ ok: true, skipped: true }), headers: { ...jsonHeaders } };
}

/** The fixed response of an endpoint. */
export function fixedResponse(reply: Reply, { isRepeated }: { isRepeated: boolean }): ResponseParts {
  const { status, body, headers } = reply;
  return { status, body, headers: { ...headers, ...(isRepeated && repeatedHeaders) } };
}

/** A problem (RFC 9457). */
export function problemResponse(problem: Problem): ResponseParts {
  return {
    status: problem.status,
    body: JSON.stringify(problem),
    headers: { "content-type": "application/problem+json", ...problemHeaders[problem.code as ErrorCode] },
  };
}

const problemHeaders: Partial<Record<ErrorCode, Record<string, string>>> = {
  // Some senders send the credentials in a URL only after they were asked for them.
  unauthorized: { "www-authenticate": 'Bearer, Basic realm="webhooks"' },
  invalid_signature: { "www-authenticate": "Signature" },
  method_not_allowed: { allow: "POST" },
  unsupported_handshake: { allow: "POST" },
  queue_full: { "retry-after": "10" },
  store_unavailable: { "retry-after": "2" },
  overloaded: { "retry-after": "2" },
  shutting_down: { "retry-after": "5" },
};

type Recorded = Pick<
  Delivery,
  "id" | "outcome" | "responseStatus" | "problem" | "body" | "headers" | "redeliveryOf" | keyof VerdictList
>;

/**
 * The response that the sender of a recorded delivery received, without the headers that every response has. `null`: it
 * has no sender, because it was delivered again. `endpoint`: its fixed response, and the formats that it accepts.
 */
export function sentResponse(
  delivery: Recorded,
  endpoint: { reply?: Reply | null; body?: readonly BodyFormat[] } = {},
): SenderResponse | null {
  if (delivery.redeliveryOf !== null || delivery.headers[ownHeaders.origin] !== undefined) return null;
  const isForm = delivery.headers[ownHeaders.sentFrom] !== undefined;
  const { body, headers } = partsOf(delivery, isForm ? null : (endpoint.reply ?? null));
  // A sender without a valid key does not learn the id of the delivery.
  const own: Record<string, string> =
    delivery.problem?.code === "unauthorized" ? {} : { "signalbox-delivery": delivery.id };
  if (delivery.problem?.code === "unsupported_media_type") own["accept"] = acceptedTypes(endpoint.body ?? onlyJson);
  return { status: delivery.responseStatus, body, headers: { ...headers, ...own } };
}

type Parts = Pick<SenderResponse, "body" | "headers">;

function partsOf(delivery: Recorded, reply: Reply | null): Parts {
  const { outcome, responseStatus, problem, verdicts, body, headers } = delivery;
  const isRepeated = outcome === "repeated";
  if (problem) return problemResponse(problem);
  // The answer of the sender's scheme is not stored, unless the body has it.
  if (headers[ownHeaders.handshake] !== undefined)
    return { body: responseStatus === 204 ? "" : challengeIn(body), headers: {} };
  if (reply && reply.status === responseStatus) return fixedResponse(reply, { isRepeated });
  if (outcome === "skipped") {
    const skipped = skippedResponse();
    const challenge = countVerdicts(delivery) === 0 ? challengeIn(body) : null;
    return challenge === null ? skipped : { ...skipped, body: challenge };
  }
  // The response to a held delivery has no runs, and stays the same after the release.
  const isHeld = headers[ownHeaders.releasedAt] !== undefined;
  const runs = isHeld
    ? []
    : verdicts.flatMap(({ runId, ...verdict }) => (runId === null ? [] : [{ ...verdict, runId }]));
  return acceptedResponse(runs, { isRepeated });
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
