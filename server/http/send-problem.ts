import type { IncomingMessage, ServerResponse } from "node:http";
import type { AppError } from "../contract/app-error.ts";
import { retryAfterSeconds, toProblem } from "../domain/problem.ts";
import { endConnectionAfter } from "./connections.ts";
import { isForwarded } from "./read-client.ts";

/** Has the id of a request. Webhooks have the id of their delivery instead. */
export const requestIdHeader = "signalbox-request";

/** Answers a request with a problem (RFC 9457) before a handler sees it. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  const problem = toProblem(error);
  const body = JSON.stringify(problem);
  closeUnreadBody(request, response);
  response
    .writeHead(problem.status, { ...problemHeaders(problem.status), "content-length": Buffer.byteLength(body) })
    .end(body);
}

/**
 * Closes the connection if its body is unread. For forwarded requests, the receiver does that itself: it keeps its
 * connections to web.
 */
export function closeUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!request.complete && hasBody(request) && !isForwarded(request)) endConnectionAfter(response);
}

export function problemHeaders(status: number): Record<string, string> {
  return {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(status === 415 ? { accept: "application/json" } : {}),
    ...(status === 429 || status === 503 ? { "retry-after": retryAfterSeconds } : {}),
  };
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
