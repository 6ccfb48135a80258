import { SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { Sampler } from "@opentelemetry/sdk-trace";
import type { TracedDelivery } from "../ports/tracing.ts";
import type { GivenIds } from "./trace-ids.ts";
import { readSender } from "./trace-place.ts";

export interface TracingParts {
  tracer: Tracer;
  ids: GivenIds;
  sampler: Sampler;
}

/**
 * The span of a delivery, created after its response, so that it does not delay the webhook. It has the attributes of
 * HTTP servers and Signalbox's own.
 */
export function traceDelivery({ tracer, ids }: TracingParts, delivery: TracedDelivery, tookMs: number): void {
  const { id, endpoint, method, bodyBytes, outcome, responseStatus, problem } = delivery;
  const startTime = Date.parse(delivery.receivedAt);
  const attributes = {
    "http.request.method": method,
    "url.path": `/triggers/${endpoint}`,
    "http.request.body.size": bodyBytes,
    "http.response.status_code": responseStatus,
    "signalbox.delivery.id": id,
    "signalbox.delivery.outcome": outcome,
    ...(problem ? { "error.type": problem.code } : {}),
  };
  // The caller chooses the name of an unknown endpoint.
  const name = problem?.code === "unknown_endpoint" ? method : `${method} /triggers/${endpoint}`;
  const span = ids.forId(id, () =>
    tracer.startSpan(name, { kind: SpanKind.SERVER, startTime, attributes }, readSender(delivery.headers)),
  );
  if (responseStatus >= 500)
    span.setStatus({ code: SpanStatusCode.ERROR, ...(problem ? { message: problem.title } : {}) });
  span.end(startTime + tookMs);
}
