import type { VerdictOutcome } from "./delivery.ts";
import type { BodyFormat } from "./project/endpoint.ts";

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

/** How an endpoint reads numbers that JavaScript cannot represent exactly. All its formats have the same option. */
export function bigintsOf(formats: readonly BodyFormat[] | undefined): "number" | "string" {
  return formats?.some((format) => "bigints" in format && format.bigints === "string") ? "string" : "number";
}
