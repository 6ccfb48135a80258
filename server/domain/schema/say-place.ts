import { visibleText } from "./visible-text.ts";

/** The name of the whole body, for a condition without a path. */
const wholeBody = "the body";

/**
 * A path in a body in its usual notation: `customer.email`, `items[].sku`, `prices.*`. A key with unusual characters is
 * in quotes.
 */
export function sayPlace(steps: readonly string[]): string {
  if (steps.length === 0) return wholeBody;
  const text = steps.map((step, index) => (step.startsWith("[") || index === 0 ? step : `.${step}`)).join("");
  return visibleText(text, 80);
}

export const itemStep = "[]";
export const anyKeyStep = "*";

export function keyStep(name: string): string {
  return /^[\p{L}\p{N}_$@-]+$/u.test(name)
    ? visibleText(name, 60)
    : `[${visibleText(JSON.stringify(name.slice(0, 60)), 60)}]`;
}
