import type { AppError } from "../contract/app-error.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import type { AcceptedRun } from "../ports/store.ts";
import type { IngestResponse } from "./ingest-request.ts";
import { problemToKeep } from "./problem-to-keep.ts";

/** Webhooks are sent by machines: nothing of an answer is for a cache or a browser to make something of. */
const security = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** What an answer needs to know of its request. `deliveryId` is `null` until the request is authenticated. */
export interface AnswerContext {
  deliveryId: string | null;
  closesConnection: boolean;
  headers?: Record<string, string>;
}

export function answerAccepted(
  context: AnswerContext,
  runs: readonly AcceptedRun[],
  options: { isRepeated: boolean },
): IngestResponse {
  const runId = runs[0]?.runId ?? null;
  const body = { ok: true, runId, runs: runs.map(({ runId, trigger, target }) => ({ runId, trigger, target })) };
  return answer(context, 202, JSON.stringify(body), {
    "content-type": "application/json",
    location: `/api/v1/runs/${runId}`,
    ...(options.isRepeated ? { "idempotent-replayed": "true" } : {}),
  });
}

export function answerSkipped(context: AnswerContext): IngestResponse {
  return answer(context, 200, JSON.stringify({ ok: true, skipped: true }), { "content-type": "application/json" });
}

export function answerChallenged(context: AnswerContext, body: object): IngestResponse {
  return answer(context, 200, JSON.stringify(body), { "content-type": "application/json" });
}

/** A problem (RFC 9457). */
export function answerProblem(context: AnswerContext, error: AppError, secrets: readonly string[]): IngestResponse {
  const problem = problemToKeep(error, secrets);
  return answer(context, problem.status, JSON.stringify(problem), {
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

function answer(
  { deliveryId, closesConnection, headers: common }: AnswerContext,
  status: number,
  body: string,
  headers: Record<string, string>,
): IngestResponse {
  const named: Record<string, string> = deliveryId === null ? {} : { "signalbox-delivery": deliveryId };
  return { status, headers: { ...headers, ...common, ...named, ...security }, body, closesConnection };
}
