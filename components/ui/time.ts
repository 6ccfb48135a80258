const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long ago (or how soon), in one short phrase: `now`, `12 s ago`, `3 min ago`, `5 h ago`, `2 d ago`, `in 4 min`; after 30 days the date. */
export function relativeTime(iso: string, now: number): string {
  const distance = now - Date.parse(iso);
  if (Number.isNaN(distance)) return iso;
  const size = Math.abs(distance);
  if (size < 1000) return "now";
  if (size > 30 * dayMs) return iso.slice(0, 10);
  const phrase = wholeUnits(size);
  return distance > 0 ? `${phrase} ago` : `in ${phrase}`;
}

function wholeUnits(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / 1000)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`;
  return `${Math.floor(ms / dayMs)} d`;
}

/** `2026-11-21 14:02:11.348 UTC`. */
export function exactUtc(iso: string): string {
  return iso.replace("T", " ").replace(/Z$/, " UTC");
}

/** The same instant in the reader's own time zone, e.g. `2026-11-21 15:02:11.348 GMT+1`. */
export function exactLocal(iso: string, timeZone?: string): string {
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

/** A length of time with at most three figures: `0.4 ms`, `420 ms`, `7.42 s`, `3 min 20 s`, `2 h 5 min`, `1 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return "0 ms";
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < hourMs - 500) return pair(Math.round(ms / 1000), 60, "min", "s");
  if (ms < dayMs - 30_000) return pair(Math.round(ms / minuteMs), 60, "h", "min");
  return pair(Math.round(ms / hourMs), 24, "d", "h");
}

function pair(amount: number, base: number, large: string, small: string): string {
  const rest = amount % base;
  return `${Math.floor(amount / base)} ${large}${rest > 0 ? ` ${rest} ${small}` : ""}`;
}

/** Bytes in words: `312 B`, `7.7 kB`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
