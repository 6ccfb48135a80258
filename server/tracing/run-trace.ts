import {
  type Attributes,
  ROOT_CONTEXT,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  context,
  trace,
} from "@opentelemetry/api";
import type { ClaimedRun } from "../ports/store.ts";
import type { RunTrace, Tracing } from "../ports/tracing.ts";
import type { TracingParts } from "./delivery-span.ts";
import { contextOfDelivery, contextOfRun } from "./trace-place.ts";

/** The span of one execution of a run, and those of its steps. */
export function beginRunTrace(
  parts: TracingParts,
  { run, version, headers }: Parameters<Tracing["beginRun"]>[0],
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
    async step(name, code) {
      // The parent is the run's span, or a span that its own code started.
      const parent = trace.getSpan(context.active()) ? context.active() : within;
      const step = tracer.startSpan(`step ${name}`, { attributes: { ...attributes, "signalbox.step": name } }, parent);
      openSteps.add(step);
      try {
        return await context.with(trace.setSpan(parent, step), code);
      } catch (thrown) {
        noteError(step, thrown);
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
  }: { run: ClaimedRun; headers: Readonly<Record<string, string>> | null; attributes: Attributes },
): Span {
  const start = (parent: Context) =>
    tracer.startSpan(`run ${run.target.slug}`, { kind: SpanKind.CONSUMER, attributes }, parent);
  if (run.deliveryId !== null && headers !== null) return start(contextOfDelivery(run.deliveryId, headers, sampler));
  const isFirst = run.attempt === 1 && !run.isResumed;
  return isFirst ? ids.forId(run.id, () => start(ROOT_CONTEXT)) : start(contextOfRun(run.id, sampler));
}

function noteError(span: Span, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}
