import type { VerdictOutcome } from "./delivery.ts";

/** The parts of a request that triggers evaluate beside its body, in this order. Each has texts by name. */
export const fieldParts = ["headers", "query"] as const;

export type FieldPart = (typeof fieldParts)[number];

/** The outcome of a trigger that a part stops. */
export const mismatchOf = {
  headers: "headers_mismatch",
  query: "query_mismatch",
} as const satisfies Record<FieldPart, VerdictOutcome>;

/** The part of the request that the reasons of a verdict are about. */
export function partOf(outcome: string): FieldPart | "body" {
  return fieldParts.find((part) => mismatchOf[part] === outcome) ?? "body";
}
