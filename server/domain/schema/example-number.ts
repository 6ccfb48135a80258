import { type Facts, tightest } from "./facts-of.ts";

/** A number within the bounds, a simple one where there is a choice. */
export function exampleNumber(facts: Facts): number {
  const isInteger = facts.types[0] === "integer";
  const step = tightest(facts, "multipleOf", Math.max) ?? (isInteger ? 1 : null);
  const least = Math.max(tightest(facts, "minimum", Math.max) ?? -Infinity, above(tightest(facts, "exclusiveMinimum", Math.max), step));
  const most = Math.min(tightest(facts, "maximum", Math.min) ?? Infinity, -above(negative(tightest(facts, "exclusiveMaximum", Math.min)), step));
  const wanted = isInteger ? 1 : 1.5;
  const number = wanted >= least && wanted <= most ? wanted : least > wanted ? between(least, most) : most;
  if (step === null) return number;
  const stepped = Math.ceil(number / step) * step;
  return stepped <= most ? stepped : Math.floor(most / step) * step;
}

/** Just above a bound that is itself excluded. */
function above(bound: number | null, step: number | null): number {
  return bound === null ? -Infinity : bound + (step ?? Math.max(Math.abs(bound) * 1e-6, 1e-6));
}

function negative(bound: number | null): number | null {
  return bound === null ? null : -bound;
}

/** The bound itself, or a rounder number near it. */
function between(least: number, most: number): number {
  const round = Math.ceil(least);
  return round <= most ? round : least;
}
