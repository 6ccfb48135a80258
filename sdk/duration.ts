const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Converts `"250ms"`, `"10s"`, `"5m"`, `"1.5h"`, `"7d"` or a number of milliseconds to milliseconds. Returns `null` for
 * any other value.
 */
export function parseDuration(duration: unknown): number | null {
  if (typeof duration === "number") return Number.isFinite(duration) && duration >= 0 ? Math.round(duration) : null;
  if (typeof duration !== "string") return null;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration);
  const unit = match?.[2] as keyof typeof unitMs | undefined;
  return match && unit ? Math.round(Number(match[1]) * unitMs[unit]) : null;
}
