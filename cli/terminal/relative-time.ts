const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** `12 s ago`, `3 min ago`, `in 5 d`; `now` within a second. */
export function relativeTime(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  const unit = units.find(([, size]) => Math.abs(ms) >= size);
  if (!unit) return "now";
  const amount = `${Math.floor(Math.abs(ms) / unit[1])} ${unit[0]}`;
  return ms < 0 ? `${amount} ago` : `in ${amount}`;
}

/** `8 ms`, `1.4 s`, `2 min 5 s`, `3 h 20 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** `14:03:07`, in the time zone of the machine. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
