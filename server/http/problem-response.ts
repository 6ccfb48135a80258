import { HTTPException } from "hono/http-exception";
import { AppError } from "../contract/app-error.ts";
import { internalError, toProblem } from "../domain/problem.ts";
import type { Logger } from "../ports/logger.ts";
import { problemHeaders } from "./send-problem.ts";

/** The response to an expected failure: RFC 9457, by the table of error codes. */
export function problemResponse(error: AppError, headers: Record<string, string> = {}): Response {
  const problem = toProblem(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...problemHeaders(problem.status), ...headers },
  });
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
