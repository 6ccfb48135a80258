const dayMs = 86_400_000;

/**
 * A time of the frame in a short form: `14:02`, or `21 Nov 14:00` when the frame spans days. In UTC, or in the reader's
 * time zone.
 */
export function clockOf(iso: string, frame: { since: string; until: string }, isLocal = false): string {
  const spansDays = Date.parse(frame.until) - Date.parse(frame.since) > dayMs / 2;
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(spansDays ? { day: "numeric", month: "short" } : {}),
    ...(isLocal ? {} : { timeZone: "UTC" }),
  }).format(new Date(iso));
}
