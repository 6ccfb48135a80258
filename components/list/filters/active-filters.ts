import { formatUtc, formatUtcMinute } from "../../../server/domain/format.ts";

/** A filter that is set, and the label of its chip. */
export interface ActiveFilter<Name extends string = string> {
  name: Name;
  label: string;
}

/** `2026-11-21 10:00 UTC`, with seconds if there are any. An invalid time stays as it is. */
export function formatFilterTime(time: string): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return time;
  return ms % 60_000 === 0 ? formatUtcMinute(ms) : formatUtc(new Date(ms).toISOString());
}
