import { HTTPException } from "hono/http-exception";
import { AppError, toProblem } from "../../contract/app-error.ts";
import { errorCodes } from "../../contract/error-codes.ts";
import { redactText } from "../../domain/deliveries/redaction.ts";
import type { Logger } from "../../ports/logger.ts";

const retryAfterSeconds = "5";

/** The answer to an expected failure: RFC 9457, by the table of error codes. */
export function problemResponse(error: AppError, headers: Record<string, string> = {}): Response {
  const { status } = errorCodes[error.code];
  // Details repeat parts of the request, and a key may be in the wrong field.
  return new Response(redactText(JSON.stringify(toProblem(error)), []), {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(status === 415 ? { accept: "application/json" } : {}),
      ...(status === 503 || status === 429 ? { "retry-after": retryAfterSeconds } : {}),
      ...headers,
    },
  });
}

/** Converts any thrown value to an expected failure. Defects are logged here, and answered without details. */
export function toAppError(error: unknown, logger: Logger, requestId?: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HTTPException) return fromHttpException(error);
  logger.error("API request failed", { requestId, error });
  return new AppError(
    "internal",
    `The log of the service has the details${requestId === undefined ? "" : `, with requestId ${requestId}`}.`,
    { cause: error },
  );
}

/** Errors of Hono, before a handler runs. */
function fromHttpException(error: HTTPException): AppError {
  if (error.status === 415)
    return new AppError("unsupported_media_type", "Send Content-Type: application/json.", { cause: error });
  return new AppError("invalid_request", error.message || "The request is invalid.", { cause: error });
}
