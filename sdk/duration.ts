/** A number of milliseconds, or a string with a unit: `"250ms"`, `"10s"`, `"5m"`, `"1.5h"`, `"7d"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** 100 years. Times that are further away than a few of them have no date. */
export const maxDurationMs = 36_525 * unitMs.d;

/**
 * Converts `"250ms"`, `"10s"`, `"5m"`, `"1.5h"`, `"7d"` or a number of milliseconds to milliseconds. Returns `null` for
 * any other value, and for more than 100 years.
 */
export function parseDuration(duration: unknown): number | null {
  const ms = typeof duration === "number" ? duration : readText(duration);
  return ms >= 0 && ms <= maxDurationMs ? Math.round(ms) : null;
}

function readText(duration: unknown): number {
  const match = typeof duration === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration) : null;
  const unit = match?.[2] as keyof typeof unitMs | undefined;
  return match && unit ? Number(match[1]) * unitMs[unit] : Number.NaN;
}
