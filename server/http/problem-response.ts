import type { IncomingMessage, ServerResponse } from "node:http";
import { HTTPException } from "hono/http-exception";
import { AppError } from "../contract/app-error.ts";
import { internalError, retryAfterSeconds, toProblem } from "../domain/problem.ts";
import type { Logger } from "../ports/logger.ts";

/** The response to an expected failure: RFC 9457, by the table of error codes. */
export function problemResponse(error: AppError, headers: Record<string, string> = {}): Response {
  const problem = toProblem(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...problemHeaders(problem.status), ...headers },
  });
}

/** The same response, for requests that are rejected before a handler sees them. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  const problem = toProblem(error);
  const body = JSON.stringify(problem);
  // An unread body ends with its connection.
  if (!request.complete && hasBody(request)) response.setHeader("connection", "close");
  response
    .writeHead(problem.status, { ...problemHeaders(problem.status), "content-length": Buffer.byteLength(body) })
    .end(body);
}

function problemHeaders(status: number): Record<string, string> {
  return {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(status === 415 ? { accept: "application/json" } : {}),
    ...(status === 429 || status === 503 ? { "retry-after": retryAfterSeconds } : {}),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Converts any thrown value to an expected failure. Defects are logged here, and answered without details. */
export function toAppError(error: unknown, logger: Logger, requestId?: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HTTPException) return fromHttpException(error);
  logger.error("API request failed", { requestId, error });
  return internalError(error, requestId);
}

/** Errors of Hono, before a handler runs. */
function fromHttpException(error: HTTPException): AppError {
  if (error.status === 415)
    return new AppError("unsupported_media_type", "Send Content-Type: application/json.", { cause: error });
  return new AppError("invalid_request", error.message || "The request is invalid.", { cause: error });
}
