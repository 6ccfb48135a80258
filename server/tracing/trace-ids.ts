import { createHash } from "node:crypto";
import { type IdGenerator, RandomIdGenerator } from "@opentelemetry/sdk-trace";

/**
 * The trace id and the span id of a delivery or a run are derived from its id. Any process can compute them at any
 * time.
 */
export function traceIdOf(id: string): string {
  return createHash("sha256").update(`trace:${id}`).digest("hex").slice(0, 32);
}

export function spanIdOf(id: string): string {
  return createHash("sha256").update(`span:${id}`).digest("hex").slice(0, 16);
}

export interface GivenIds extends IdGenerator {
  /** Gives the span (and the trace, if new) that `start` creates the ids derived from this id. */
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
