/** Digits in threes, with a space that does not break: `10 000`. */
export function groupDigits(number: number): string {
  const [whole = "", fraction] = String(number).split(".");
  if (!/^-?\d+$/.test(whole)) return String(number);
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, "\u00A0");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A number in a sentence: four digits stay together, they may be a year. */
export function sayNumber(number: number): string {
  return Math.abs(number) < 10_000 ? String(number) : groupDigits(number);
}
