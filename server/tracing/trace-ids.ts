import { createHash } from "node:crypto";
import { type IdGenerator, RandomIdGenerator } from "@opentelemetry/sdk-trace";

/**
 * The trace and the span of a delivery or a run follow from its id: whoever knows the id knows its place in the trace,
 * in whatever process and however much later.
 */
export function traceIdOf(id: string): string {
  return createHash("sha256").update(`trace:${id}`).digest("hex").slice(0, 32);
}

export function spanIdOf(id: string): string {
  return createHash("sha256").update(`span:${id}`).digest("hex").slice(0, 16);
}

export interface GivenIds extends IdGenerator {
  /** The span that `start` starts, and the trace if it begins one, are those of this id. */
  forId<T>(id: string, start: () => T): T;
}

export function createGivenIds(): GivenIds {
  const random = new RandomIdGenerator();
  let given: string | null = null;
  return {
    generateTraceId: () => (given === null ? random.generateTraceId() : traceIdOf(given)),
    generateSpanId: () => (given === null ? random.generateSpanId() : spanIdOf(given)),
    forId(id, start) {
      given = id;
      try {
        return start();
      } finally {
        given = null;
      }
    },
  };
}
