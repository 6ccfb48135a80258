import { type Context, ROOT_CONTEXT, SpanKind, TraceFlags, defaultTextMapGetter, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace";
import { ownHeaders } from "../contract/own-headers.ts";
import { spanIdOf, traceIdOf } from "./trace-ids.ts";

const propagator = new W3CTraceContextPropagator();

type Headers = Readonly<Record<string, string>>;

/** What the sender's `traceparent` and `tracestate` say (W3C Trace Context); what cannot be read counts as not sent. */
export function readSender(headers: Headers): Context {
  return propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
}

/**
 * Where runs of a delivery belong: below its span, which another process made, or makes at this moment. What was
 * delivered again belongs to the first delivery.
 */
export function contextOfDelivery(deliveryId: string, headers: Headers, sampler: Sampler): Context {
  return below(readSender(headers), headers[ownHeaders.redeliveryOf] ?? deliveryId, sampler);
}

/** Where later stretches of a run belong that no delivery started: below its first. */
export function contextOfRun(runId: string, sampler: Sampler): Context {
  return below(ROOT_CONTEXT, runId, sampler);
}

/**
 * Below the span of this id, which began in `parent`. Whether it was sampled is decided as it was there: a sampler goes
 * by the trace id.
 */
function below(parent: Context, id: string, sampler: Sampler): Context {
  const sender = trace.getSpanContext(parent);
  const traceId = sender?.traceId ?? traceIdOf(id);
  const { decision } = sampler.shouldSample(parent, traceId, "", SpanKind.SERVER, {}, []);
  const traceFlags = decision === SamplingDecision.RECORD_AND_SAMPLED ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: spanIdOf(id),
    traceFlags,
    isRemote: true,
    ...(sender?.traceState ? { traceState: sender.traceState } : {}),
  });
}
