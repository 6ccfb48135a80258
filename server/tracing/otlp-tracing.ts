import { AsyncResource } from "node:async_hooks";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator, setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { TracingSettings } from "../contract/tracing-settings.ts";
import type { Logger } from "../ports/logger.ts";
import { createSeldomLog } from "../ports/seldom-log.ts";
import type { Tracing } from "../ports/tracing.ts";
import { traceDelivery } from "./delivery-span.ts";
import { beginRunTrace } from "./run-trace.ts";
import { createGivenIds } from "./trace-ids.ts";

export interface TracingOptions {
  settings: TracingSettings;
  process: "web" | "worker";
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
  const warn = createSeldomLog((message, fields) => logger.warn(message, fields));
  // Logs only the message: other properties can contain exported data.
  return (error) =>
    warn("could not export spans", {
      reason: error instanceof Error ? error.message : String(error),
    });
}
