import { groupDigits } from "../../server/domain/schema/say-number.ts";

/** `1 delivery`, `1 204 deliveries`. */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${groupDigits(amount)} ${amount === 1 ? one : many}`;
}

/** A share in percent that never rounds to all or nothing: `99.9 %` while one of ten thousand failed. */
export function sayShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (part / whole) * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  return `${Math.min(99.9, Math.max(0.1, percent)).toFixed(percent > 10 && percent < 99 ? 0 : 1)} %`;
}

export const windowWords = { "15m": "in the last 15 minutes", "1h": "in the last hour", "24h": "in the last 24 hours", "7d": "in the last 7 days" };
