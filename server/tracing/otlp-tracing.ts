import {
  type Attributes,
  context,
  type Context,
  defaultTextMapGetter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { setGlobalErrorHandler, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { AsyncResource } from "node:async_hooks";
import { ownHeaders } from "../contract/own-headers.ts";
import type { TracingSettings } from "../contract/tracing-settings.ts";
import type { Logger } from "../ports/logger.ts";
import type { RunAttempt } from "../ports/store/engine-store.ts";
import type { RunTrace, TracedDelivery, Tracing } from "../ports/tracing.ts";
import { createGivenIds, type GivenIds, spanIdOf, traceIdOf } from "./trace-ids.ts";

const propagator = new W3CTraceContextPropagator();

type Headers = Readonly<Record<string, string>>;

export interface TracingOptions {
  settings: TracingSettings;
  process: "receiver" | "web" | "worker";
  logger: Logger;
}

/** A worker can be killed at any time, so spans are exported soon. */
const sendEveryMs = 1_000;
/** Maximum pending spans. Further ones are dropped while the collector is too slow. */
const maxWaiting = 4_096;

/**
 * Sends spans by OTLP over HTTP, as JSON. In a worker it is also what the project's own code finds behind
 * `@opentelemetry/api`: all copies of that package share what is registered, if theirs is not newer than ours.
 */
export function createOtlpTracing({ settings, process: processName, logger }: TracingOptions): Tracing {
  const noteFailure = createNoteFailure(logger);
  setGlobalErrorHandler(noteFailure);
  const ids = createGivenIds();
  const sampler = createSampler(settings.sampler);
  const resource = resourceFromAttributes({
    ...settings.resource,
    "service.name": settings.serviceName,
    "signalbox.process": processName,
    "process.pid": process.pid,
  });
  const provider = new TracerProvider({
    resource,
    sampler,
    idGenerator: ids,
    spanProcessors: [outsideOfRuns(createProcessor(settings))],
  });
  if (processName === "worker") registerForProject(provider);
  const tracer = provider.getTracer("signalbox");
  const parts = { tracer, ids, sampler };
  return {
    delivered: (delivery, tookMs) => traceDelivery(parts, delivery, tookMs),
    beginRun: (p) => beginRunTrace(parts, p),
    async close(withinMs) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, withinMs);
      await Promise.race([provider.shutdown().catch(noteFailure), late]);
      clearTimeout(timer);
    },
  };
}

function createProcessor({ url, headers, timeoutMs }: TracingSettings): SpanProcessor {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs });
  return new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: sendEveryMs,
    exportTimeoutMillis: timeoutMs,
    maxQueueSize: maxWaiting,
  });
}

/** A timer belongs to the run whose code set it. The export belongs to no run. */
function outsideOfRuns(processor: SpanProcessor): SpanProcessor {
  return {
    onStart: (span, parent) => processor.onStart(span, parent),
    onEnd: AsyncResource.bind((span) => processor.onEnd(span)),
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  };
}

function createSampler({ isParentBased, ratio }: TracingSettings["sampler"]): Sampler {
  const root = new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function registerForProject(provider: TracerProvider): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
}

function createNoteFailure(logger: Logger): (error: unknown) => void {
  // Logs only the message: other properties can contain exported data.
  return (error) =>
    logger.warn("could not export spans", {
      reason: error instanceof Error ? error.message : String(error),
    });
}

/** The span of one execution of a run, and those of its steps. */
function beginRunTrace(
  parts: TracingParts,
  { run, version, headers, hide }: Parameters<Tracing["beginRun"]>[0],
): RunTrace {
  const { tracer } = parts;
  const attributes: Attributes = {
    "signalbox.run.id": run.id,
    [`signalbox.${run.target.kind}`]: run.target.slug,
    "signalbox.version": version,
    "signalbox.attempt": run.attempt,
    ...(run.trigger === null ? {} : { "signalbox.trigger": run.trigger }),
    ...(run.deliveryId === null ? {} : { "signalbox.delivery.id": run.deliveryId }),
  };
  const span = startRunSpan(parts, { run, headers, attributes });
  const within = trace.setSpan(ROOT_CONTEXT, span);
  const openSteps = new Set<Span>();
  return {
    within: (code) => context.with(within, code),
    async step(recordedName, code) {
      const name = hide(recordedName);
      // The parent is the run's span, or a span that its own code started.
      const parent = trace.getSpan(context.active()) ? context.active() : within;
      const step = tracer.startSpan(`step ${name}`, { attributes: { ...attributes, "signalbox.step": name } }, parent);
      openSteps.add(step);
      try {
        return await context.with(trace.setSpan(parent, step), code);
      } catch (thrown) {
        noteError(step, hideIn(thrown, hide));
        throw thrown;
      } finally {
        openSteps.delete(step);
        step.end();
      }
    },
    end({ status, error }) {
      // The steps of an interrupted run may never end.
      for (const step of openSteps) step.addEvent("left unfinished").end();
      openSteps.clear();
      span.setAttribute("signalbox.run.status", status ?? "lost");
      if (error)
        noteError(
          span,
          Object.assign(new Error(error.message), { name: error.name, stack: error.stack ?? error.message }),
        );
      span.end();
    },
  };
}

function startRunSpan(
  { tracer, ids, sampler }: TracingParts,
  {
    run,
    headers,
    attributes,
  }: { run: RunAttempt; headers: Readonly<Record<string, string>> | null; attributes: Attributes },
): Span {
  const start = (parent: Context) =>
    tracer.startSpan(`run ${run.target.slug}`, { kind: SpanKind.CONSUMER, attributes }, parent);
  if (run.deliveryId !== null && headers !== null) return start(contextOfDelivery(run.deliveryId, headers, sampler));
  const isFirst = run.attempt === 1 && !run.isResumed;
  return isFirst ? ids.forId(run.id, () => start(ROOT_CONTEXT)) : start(contextOfRun(run.id, sampler));
}

/** The same exception, as it is recorded. */
function hideIn(thrown: unknown, hide: (text: string) => string): unknown {
  if (!(thrown instanceof Error)) return hide(String(thrown));
  return Object.assign(new Error(hide(thrown.message)), { name: hide(thrown.name), stack: hide(thrown.stack ?? "") });
}

function noteError(span: Span, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}

interface TracingParts {
  tracer: Tracer;
  ids: GivenIds;
  sampler: Sampler;
}

/**
 * The span of a delivery, created after its response, so that it does not delay the webhook. It has the attributes of
 * HTTP servers and Signalbox's own.
 */
function traceDelivery({ tracer, ids }: TracingParts, delivery: TracedDelivery, tookMs: number): void {
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

/** Reads the sender's `traceparent` and `tracestate` (W3C Trace Context). Invalid values are ignored. */
function readSender(headers: Headers): Context {
  return propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
}

/**
 * The parent of a delivery's runs: the span of the delivery, which another process creates. A redelivery belongs to the
 * first delivery.
 */
function contextOfDelivery(deliveryId: string, headers: Headers, sampler: Sampler): Context {
  return below(readSender(headers), headers[ownHeaders.redeliveryOf] ?? deliveryId, sampler);
}

/** The parent of later executions of a run without a delivery: its first execution. */
function contextOfRun(runId: string, sampler: Sampler): Context {
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
