import type { DeliveryFilter } from "../../ports/store.ts";
import type { Position } from "../shared/cursor.ts";
import type { SqliteDatabase } from "./database.ts";
import type { Region } from "./read-list.ts";

const hourMs = 3_600_000;

/** Below every id. */
const lowest = " ";

export const verdictHoursSql = `
  SELECT DISTINCT t.at FROM json_each(@outcomes) o CROSS JOIN traffic t
  WHERE t.bucket_ms = ${hourMs} AND t.endpoint = @endpoint AND t.attachment_id > @trigger || ':' AND t.attachment_id < @trigger || ';'
    AND t.outcome = o.value AND t.at >= @since AND t.at < @until
  ORDER BY t.at DESC`;

export const firstCountedHourSql = `SELECT min(at) FROM traffic WHERE bucket_ms = ${hourMs} AND endpoint = '' AND attachment_id = ''`;

/**
 * A verdict that is rare on its endpoint is looked for in the hours that counted one, and in those before deliveries were counted.
 * Gives the next part of the list that may have some, for a place in it.
 */
export function verdictHours({ connection }: SqliteDatabase, { endpoint, verdict, since = 0, until }: DeliveryFilter): ((after: Position | null) => Region) | undefined {
  if (endpoint === undefined || verdict === undefined) return undefined;
  let known: { hours: number[]; countedFrom: number } | null = null;
  const look = () => {
    const first = connection.prepare<unknown[], number | null>(firstCountedHourSql).pluck().get() ?? null;
    // The first hour may have been counted in part.
    const countedFrom = first === null ? Number.MAX_SAFE_INTEGER : first + hourMs;
    const within = { since: Math.max(since - hourMs, countedFrom), until: until ?? Number.MAX_SAFE_INTEGER };
    const hours = connection.prepare<unknown[], number>(verdictHoursSql).pluck();
    return { hours: hours.all({ ...within, endpoint, trigger: verdict.trigger, outcomes: JSON.stringify(verdict.outcomes) }), countedFrom };
  };
  return (after) => {
    known ??= look();
    return nextRegion(known, after);
  };
}

/** Hours newest first. Apart, so that a test needs no database. */
export function nextRegion({ hours, countedFrom }: { hours: readonly number[]; countedFrom: number }, after: Position | null): Region {
  const hour = hours.find((at) => after === null || at < after.at || (at === after.at && lowest < after.id));
  const top = { at: hour === undefined ? countedFrom : hour + hourMs, id: lowest };
  return { after: after !== null && after.at < top.at ? after : top, downTo: hour === undefined ? null : { at: hour, id: lowest } };
}
