import { isTimestamp } from "../../../server/contract/list.ts";
import { formatUtc, formatUtcMinute } from "../../../server/shared/format.ts";

/** A filter that is set, and the label of its chip. */
export interface ActiveFilter<Name extends string = string> {
  name: Name;
  label: string;
}

/** `2026-11-21 10:00 UTC`, with seconds if there are any. A text that is no time is quoted. */
export function formatFilterTime(time: string): string {
  if (!isTimestamp(time)) return `“${time}”`;
  const ms = Date.parse(time);
  return ms % 60_000 === 0 ? formatUtcMinute(ms) : formatUtc(new Date(ms).toISOString());
}
