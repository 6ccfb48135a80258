import type { IncomingMessage, ServerResponse } from "node:http";
import { newId } from "../domain/ids.ts";
import { closeUnreadBody, requestIdHeader } from "./send-problem.ts";
import type { Readiness } from "./readiness.ts";

/** Answers a health check. Resolves to `false` if the request is not a health check. */
export type HealthHandler = (request: IncomingMessage, response: ServerResponse, target: string) => Promise<boolean>;

/**
 * Answers `GET /healthz` and `GET /readyz` in the receiver, so that a load balancer keeps a machine that receives
 * webhooks, even if its web process has crashed or is busy.
 */
export function createHealthHandler(readiness: Readiness): HealthHandler {
  return async (request, response, target) => {
    const [path] = target.split("?", 1);
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    if (path === "/healthz") send(request, response, 200, { ok: true });
    else if (path === "/readyz") {
      const report = await readiness();
      const ok = report.reasons.length === 0;
      send(request, response, ok ? 200 : 503, { ok, ...report });
    } else return false;
    return true;
  };
}

function send(request: IncomingMessage, response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  closeUnreadBody(request, response);
  response
    .writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      [requestIdHeader]: newId("req"),
    })
    .end(text);
}
