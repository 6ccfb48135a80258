import { countVerdicts, type Delivery, ownHeaders, type VerdictList } from "../../../server/contract/delivery.ts";
import type { Reply } from "../../../server/contract/project/endpoint.ts";
import { jsonOf, readBody } from "../read-body.ts";

/** The response to the sender. */
export interface SenderResponse {
  status: number;
  /** As it was sent. `null`: the answer to a handshake, which is not stored. */
  body: string | null;
  /** Without the headers that every response has. */
  headers: [name: string, value: string][];
}

/** Reconstructs the response to a delivery from the stored delivery. `reply`: the fixed response of its endpoint. */
export function responseOf(
  {
    id,
    outcome,
    responseStatus,
    problem,
    verdicts,
    unlistedVerdicts,
    body,
    headers,
  }: Pick<Delivery, "id" | "outcome" | "responseStatus" | "problem" | "body" | "headers" | keyof VerdictList>,
  reply: Reply | null = null,
): SenderResponse {
  const own: [string, string] = ["signalbox-delivery", id];
  if (problem)
    return {
      status: responseStatus,
      body: JSON.stringify(problem),
      headers: [["content-type", "application/problem+json"], own],
    };
  if (headers[ownHeaders.handshake] !== undefined)
    return { status: responseStatus, body: responseStatus === 204 ? "" : challengeIn(body), headers: [own] };
  if (reply && reply.status === responseStatus)
    return { status: responseStatus, body: reply.body, headers: [...Object.entries(reply.headers), own] };
  if (outcome === "skipped")
    return {
      status: responseStatus,
      body: (countVerdicts({ verdicts, unlistedVerdicts }) === 0 && challengeIn(body)) || '{"ok":true,"skipped":true}',
      headers: [["content-type", "application/json"], own],
    };
  const runs = verdicts.flatMap(({ runId, trigger, target }) => (runId === null ? [] : [{ runId, trigger, target }]));
  const runId = runs[0]?.runId ?? null;
  const repeated: [string, string][] = outcome === "repeated" ? [["idempotent-replayed", "true"]] : [];
  // The response to a held delivery has no runs, and stays the same after the release.
  if (runId === null || headers[ownHeaders.releasedAt] !== undefined)
    return {
      status: responseStatus,
      body: '{"ok":true,"held":true}',
      headers: [["content-type", "application/json"], ...repeated, own],
    };
  return {
    status: responseStatus,
    body: JSON.stringify({ ok: true, runId, runs }),
    headers: [["content-type", "application/json"], ["location", `/api/v1/runs/${runId}`], ...repeated, own],
  };
}

/** The response to a URL verification of Slack: the challenge that the sender sent. No trigger is evaluated. */
function challengeIn(body: string | null): string | null {
  const json = jsonOf(readBody(body)?.text ?? null);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return null;
  return typeof json["challenge"] === "string" ? JSON.stringify({ challenge: json["challenge"] }) : null;
}
