import { parseDuration } from "./duration.ts";

/** `Sun, 06 Nov 1994 08:49:37 GMT`, with its obsolete forms, or ISO 8601. `Date.parse` alone accepts almost any text. */
const dateForm = /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? \S|\d{4}-\d\d-\d\d)/;

/**
 * The time in UTC milliseconds at which a failed call may be repeated, at least `now`. Accepts a number of seconds, a
 * Date, a duration with a unit (`"30s"`), or the value of a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3).
 * Returns `null` for any other value.
 */
export function readRetryAfter(value: unknown, now: number): number | null {
  const at = value instanceof Date ? value.getTime() : (readDelay(value, now) ?? readDate(value));
  return at === null || !Number.isFinite(at) ? null : Math.max(now, at);
}

function readDelay(value: unknown, now: number): number | null {
  if (typeof value === "number") return value >= 0 ? now + Math.ceil(value * 1000) : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return now + Math.ceil(Number(text) * 1000);
  const ms = parseDuration(text);
  return ms === null ? null : now + ms;
}

function readDate(value: unknown): number | null {
  const text = typeof value === "string" ? value.trim() : "";
  return dateForm.test(text) ? Date.parse(text) : null;
}
