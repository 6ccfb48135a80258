import { type Facts, tightest } from "./facts-of.ts";

/** A number within the bounds, a simple one where there is a choice. */
export function exampleNumber(facts: Facts): number {
  const isInteger = facts.types[0] === "integer";
  const step = stepOf(facts) ?? (isInteger ? 1 : null);
  const least = Math.max(
    tightest(facts, "minimum", Math.max) ?? -Infinity,
    above(tightest(facts, "exclusiveMinimum", Math.max), step),
  );
  const most = Math.min(
    tightest(facts, "maximum", Math.min) ?? Infinity,
    -above(negative(tightest(facts, "exclusiveMaximum", Math.min)), step),
  );
  const wanted = isInteger ? 1 : 1.5;
  if (least > most) return amid(facts);
  const number = wanted >= least && wanted <= most ? wanted : least > wanted ? between(least, most) : most;
  if (step === null) return number;
  const stepped = Math.ceil(number / step) * step;
  return stepped <= most ? stepped : Math.floor(most / step) * step;
}

/** What every step divides, where they are whole numbers. */
function stepOf(facts: Facts): number | null {
  return tightest(facts, "multipleOf", (...steps) => {
    const common = steps.reduce((one, other) => (one / divisor(one, other)) * other);
    return steps.every((step) => Number.isInteger(step) && step > 0) && Number.isSafeInteger(common)
      ? common
      : Math.max(...steps);
  });
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

/** Between bounds that lie closer together than the usual distance from them. */
function amid(facts: Facts): number {
  const least = Math.max(
    tightest(facts, "minimum", Math.max) ?? -Infinity,
    tightest(facts, "exclusiveMinimum", Math.max) ?? -Infinity,
  );
  const most = Math.min(
    tightest(facts, "maximum", Math.min) ?? Infinity,
    tightest(facts, "exclusiveMaximum", Math.min) ?? Infinity,
  );
  return facts.types[0] === "integer" ? Math.ceil(least) : least + (most - least) / 2;
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
