import { type Context, ROOT_CONTEXT, SpanKind, TraceFlags, defaultTextMapGetter, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace";
import { ownHeaders } from "../contract/own-headers.ts";
import { spanIdOf, traceIdOf } from "./trace-ids.ts";

const propagator = new W3CTraceContextPropagator();

type Headers = Readonly<Record<string, string>>;

/** Reads the sender's `traceparent` and `tracestate` (W3C Trace Context). Invalid values are ignored. */
export function readSender(headers: Headers): Context {
  return propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
}

/**
 * The parent of a delivery's runs: the span of the delivery, which another process creates. A redelivery belongs to the
 * first delivery.
 */
export function contextOfDelivery(deliveryId: string, headers: Headers, sampler: Sampler): Context {
  return below(readSender(headers), headers[ownHeaders.redeliveryOf] ?? deliveryId, sampler);
}

/** The parent of later executions of a run without a delivery: its first execution. */
export function contextOfRun(runId: string, sampler: Sampler): Context {
  return below(ROOT_CONTEXT, runId, sampler);
}

/**
 * The span of this id, which was started in `parent`, as a parent. Its sampling decision is the same, because samplers
 * use the trace id.
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
