/** `812 tokens`, `12.6 k tokens`, `1.2 M tokens`. */
export function sayTokens(tokens: number): string {
  return `${sayLarge(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
}

function sayLarge(count: number): string {
  // What rounds up to a thousand thousands is said as a million.
  if (count >= 999_950_000) return `${oneDigit(count / 1e9)} G`;
  if (count >= 999_950) return `${oneDigit(count / 1e6)} M`;
  return count >= 10_000 ? `${oneDigit(count / 1000)} k` : count.toLocaleString("en");
}

function oneDigit(number: number): string {
  return number.toFixed(1).replace(/\.0$/, "");
}
