import { formatNumber } from "../format.ts";
import { type Facts, tightest } from "./facts-of.ts";

/** The limits of number types: these bounds say nothing about the intended range. */
const edges = new Set([
  Number.MAX_SAFE_INTEGER,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  3.4028234663852886e38,
  Number.MAX_VALUE,
  2 ** 63,
  2 ** 64,
]);

/** Of a number: `≥ 1`, `≤ 9`, `a multiple of 5`. */
export function sayNumberBounds(facts: Facts): string[] {
  const least = tightest(facts, "minimum", Math.max);
  const most = tightest(facts, "maximum", Math.min);
  if (least !== null && least === most) return [`= ${sayNumber(least)}`];
  return [
    say("≥", least),
    say(">", tightest(facts, "exclusiveMinimum", Math.max)),
    say("≤", most),
    say("<", tightest(facts, "exclusiveMaximum", Math.min)),
    ...facts.parts.flatMap(({ multipleOf }) =>
      typeof multipleOf === "number" ? [`a multiple of ${sayNumber(multipleOf)}`] : [],
    ),
  ].filter((words) => words !== "");
}

function say(sign: string, bound: number | null): string {
  return bound === null || edges.has(Math.abs(bound)) ? "" : `${sign} ${sayNumber(bound)}`;
}

const sizes = [
  { least: "minLength", most: "maxLength", unit: "character" },
  { least: "minItems", most: "maxItems", unit: "item" },
  { least: "minProperties", most: "maxProperties", unit: "key" },
];

/** For a string, an array or a record: `not empty`, `exactly 5 characters`, `1 to 3 items`. */
export function saySizes(facts: Facts): string[] {
  return sizes.flatMap(
    ({ least, most, unit }) =>
      saySize(tightest(facts, least, Math.max) ?? 0, tightest(facts, most, Math.min), unit) ?? [],
  );
}

function saySize(least: number, most: number | null, unit: string): string | null {
  if (most === null) return least <= 0 ? null : least === 1 ? "not empty" : `at least ${sayNumber(least)} ${unit}s`;
  const units = most === 1 ? unit : `${unit}s`;
  if (least === most) return `exactly ${sayNumber(most)} ${units}`;
  return least <= 0 ? `at most ${sayNumber(most)} ${units}` : `${sayNumber(least)} to ${sayNumber(most)} ${units}`;
}

/** A number in a sentence: four digits stay together, they may be a year. */
export function sayNumber(value: number): string {
  return Math.abs(value) < 10_000 || Math.abs(value) >= 1e21 ? String(value) : formatNumber(value);
}
