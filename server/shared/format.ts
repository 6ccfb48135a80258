/** Numbers, amounts, durations, times and time windows as text, the same in pages and on the command line. */

import type { Methods } from "../contract/project/endpoint.ts";
import type { Window } from "../contract/traffic.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });

const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });

/** `1,204`. */
export function formatNumber(value: number): string {
  return number.format(value);
}

/** A number with its noun: `1 run`, `1,204 runs`; the plural is the noun with an `s` unless it is given. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** The methods of an endpoint, as they precede its path: `POST`, `GET`, `GET, POST`. */
export function formatMethods(methods: Methods): string {
  return methods.join(", ");
}

/** `812 tokens`, `12.6 k tokens`, `1.2 M tokens`. */
export function formatTokens(tokens: number): string {
  return `${compact(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
}

function compact(count: number): string {
  // A count that rounds up to the next unit gets that unit.
  if (count >= 999_950_000) return `${oneDigit(count / 1e9)} G`;
  if (count >= 999_950) return `${oneDigit(count / 1e6)} M`;
  return count >= 10_000 ? `${oneDigit(count / 1000)} k` : formatNumber(count);
}

function oneDigit(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}

/** US dollars: whole cents; below a dollar, as many digits as needed to differ from zero: `$4.10`, `$0.025`, `$0.0031`. */
export function formatUsd(usd: number): string {
  if (usd === 0 || usd >= 1) return dollars.format(usd);
  if (usd >= 0.01) return `$${usd.toFixed(3).replace(/0$/, "")}`;
  // The store has a precision of a billionth.
  return `$${Number(usd.toPrecision(2)).toFixed(9).replace(/0+$/, "")}`;
}

/** A share in percent that never rounds to 0 or 100: `99.9 %` if one of ten thousand failed. `–` if the whole is 0. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (part / whole) * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  return `${Math.min(99.9, Math.max(0.1, percent)).toFixed(percent > 10 && percent < 99 ? 0 : 1)} %`;
}

const byteUnits = ["B", "kB", "MB", "GB", "TB"];

/** `312 B`, `7.7 kB`, `1.2 MB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= (unit === 0 ? 1000 : 999.95) && unit < byteUnits.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${byteUnits[unit]}`;
}

/** A duration with at most three figures: `0.4 ms`, `420 ms`, `7.42 s`, `3 min 20 s`, `2 h 5 min`, `1 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return "0 ms";
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < hourMs - 500) return twoUnits(Math.round(ms / 1000), 60, "min", "s");
  if (ms < dayMs - 30_000) return twoUnits(Math.round(ms / minuteMs), 60, "h", "min");
  return twoUnits(Math.round(ms / hourMs), 24, "d", "h");
}

function twoUnits(amount: number, base: number, large: string, small: string): string {
  const rest = amount % base;
  return `${Math.floor(amount / base)} ${large}${rest > 0 ? ` ${rest} ${small}` : ""}`;
}

/** A configured duration, without trailing zeros: `1 s`, not `1.00 s`. */
export function formatInterval(ms: number): string {
  return ms >= 1000 && ms < minuteMs && ms % 100 === 0 ? `${ms / 1000} s` : formatDuration(ms);
}

/** The end of "in the last …". */
export const windowNames: Record<Window, string> = {
  "15m": "15 minutes",
  "1h": "hour",
  "24h": "24 hours",
  "7d": "7 days",
};

/** A time relative to now: `now`, `12 s ago`, `3 min ago`, `5 h ago`, `2 d ago`, `in 4 min`; after 30 days the date. */
export function formatRelativeTime(iso: string, now: number): string {
  const distance = now - Date.parse(iso);
  if (Number.isNaN(distance)) return iso;
  const size = Math.abs(distance);
  if (size < 1000) return "now";
  if (size > 30 * dayMs) return iso.slice(0, 10);
  return distance > 0 ? `${wholeUnits(size)} ago` : `in ${wholeUnits(size)}`;
}

function wholeUnits(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / 1000)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`;
  return `${Math.floor(ms / dayMs)} d`;
}

/** `2026-11-21 14:02:11.348 UTC`. */
export function formatUtc(iso: string): string {
  return iso.replace("T", " ").replace(/Z$/, " UTC");
}

/** The same to the minute: `2026-11-21 14:02 UTC`. */
export function formatUtcMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The time of day in UTC: `14:02:11.348`. */
export function formatUtcTime(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

/** The time of day in the time zone of this machine: `14:03:07`. */
export function formatLocalTime(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).format(at);
}

/** A label of a time axis: `14:02`, or `21 Nov, 14:02` if the axis spans days. Default: the reader's time zone. */
export function formatAxisTime(
  iso: string,
  { spansDays, timeZone }: { spansDays: boolean; timeZone?: string | undefined },
): string {
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(spansDays ? { day: "numeric", month: "short" } : {}),
    timeZone,
  }).format(new Date(iso));
}

/** The time of `formatUtc` in the reader's time zone: `2026-11-21 15:02:11.348 GMT+1`. */
export function formatLocal(iso: string, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    timeZoneName: "short",
  }).formatToParts(new Date(iso));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}:${part("second")}.${part("fractionalSecond")} ${part("timeZoneName")}`;
}
