import type { AppError } from "../contract/app-error.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import { toProblem } from "../domain/problem.ts";
import type { AcceptedRun } from "../ports/store/delivery-store.ts";
import type { Acceptance } from "./accept.ts";
import type { IngestResponse } from "./ingest-request.ts";

/** The part of a response that does not depend on the outcome. `deliveryId` is `null` for unauthenticated requests. */
export interface ResponseContext {
  deliveryId: string | null;
  closesConnection: boolean;
  /** The headers of the rate limits. */
  headers?: Record<string, string>;
}

/** The response to a delivery that is on disk. */
export function respond(context: ResponseContext, acceptance: Acceptance, secrets: readonly string[]): IngestResponse {
  switch (acceptance.kind) {
    case "accepted":
    case "repeated":
      return acceptedResponse(context, acceptance.runs, { isRepeated: acceptance.kind === "repeated" });
    case "skipped":
      return jsonResponse(context, 200, { ok: true, skipped: true });
    case "challenged":
      return jsonResponse(context, 200, acceptance.answer);
    case "mismatched":
      return problemResponse(context, acceptance.error, secrets);
  }
}

function acceptedResponse(
  context: ResponseContext,
  runs: readonly AcceptedRun[],
  { isRepeated }: { isRepeated: boolean },
): IngestResponse {
  const runId = runs[0]?.runId ?? null;
  const body = { ok: true, runId, runs: runs.map(({ runId, trigger, target }) => ({ runId, trigger, target })) };
  const headers: Record<string, string> = {
    "content-type": "application/json",
    location: `/api/v1/runs/${runId}`,
  };
  if (isRepeated) headers["idempotent-replayed"] = "true";
  return response(context, 202, JSON.stringify(body), headers);
}

function jsonResponse(context: ResponseContext, status: number, body: object): IngestResponse {
  return response(context, status, JSON.stringify(body), { "content-type": "application/json" });
}

/** A problem (RFC 9457). */
export function problemResponse(context: ResponseContext, error: AppError, secrets: readonly string[]): IngestResponse {
  const problem = toProblem(error, secrets);
  return response(context, problem.status, JSON.stringify(problem), {
    "content-type": "application/problem+json",
    ...problemHeaders[error.code],
  });
}

const problemHeaders: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthorized: { "www-authenticate": "Bearer" },
  invalid_signature: { "www-authenticate": "Signature" },
  method_not_allowed: { allow: "POST" },
  unsupported_media_type: { accept: "application/json" },
  queue_full: { "retry-after": "10" },
  store_unavailable: { "retry-after": "2" },
  overloaded: { "retry-after": "2" },
  shutting_down: { "retry-after": "5" },
};

/** `headers` become those of the response. */
function response(
  { deliveryId, closesConnection, headers: common }: ResponseContext,
  status: number,
  body: string,
  headers: Record<string, string>,
): IngestResponse {
  if (common) Object.assign(headers, common);
  if (deliveryId !== null) headers["signalbox-delivery"] = deliveryId;
  // Senders are machines: caches and browsers must not interpret a response.
  headers["cache-control"] = "no-store";
  headers["x-content-type-options"] = "nosniff";
  return { status, headers, body, closesConnection };
}
