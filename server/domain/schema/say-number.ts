import { formatNumber } from "../format.ts";

/** A number in a sentence: four digits stay together, they may be a year. */
export function sayNumber(value: number): string {
  return Math.abs(value) < 10_000 || Math.abs(value) >= 1e21 ? String(value) : formatNumber(value);
}
