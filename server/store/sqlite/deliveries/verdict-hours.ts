import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import type { Position } from "../../shared/lists/cursor.ts";
import type { Region } from "../../shared/lists/read-list.ts";
import { isOfTrigger, type TrafficSum } from "../../shared/traffic/traffic-counts.ts";
import type { SqliteDatabase } from "../database.ts";
import { toPositionId } from "../lists/list-reader.ts";

const hourMs = 3_600_000;
const never = Number.MAX_SAFE_INTEGER;

/** Sorts before the id of every position. */
const lowest = toPositionId(0);

export const verdictHoursSql = `
  SELECT DISTINCT t.at FROM json_each(@outcomes) o CROSS JOIN traffic t
  WHERE t.bucket_ms = ${hourMs} AND t.endpoint = @endpoint AND t.attachment_id > @trigger || ':' AND t.attachment_id < @trigger || ';'
    AND t.outcome = o.value AND t.at >= @since AND t.at < @until
  ORDER BY t.at DESC`;

export const firstCountedHourSql = `SELECT min(at) FROM traffic WHERE bucket_ms = ${hourMs} AND endpoint = '' AND attachment_id = ''`;

/**
 * Searches a rare verdict of an endpoint only in the hours that counted one, and in the hours before counting started.
 * Returns the next region of the list, after a position, that can have matches.
 */
export function verdictHours(
  { connection, trafficLog }: SqliteDatabase,
  { endpoint, verdict, since = 0, until }: DeliveryFilter,
): ((after: Position | null) => Region) | undefined {
  if (endpoint === undefined || verdict === undefined) return undefined;
  let known: { hours: number[]; countedFrom: number } | null = null;
  const load = () => {
    // Reads the log first: its counts can move to the counters meanwhile.
    const logged = trafficLog();
    const first = Math.min(
      connection.prepare<unknown[], number | null>(firstCountedHourSql).pluck().get() ?? never,
      ...firstOf(logged),
    );
    // The first hour can be counted only in part.
    const countedFrom = first === never ? never : first + hourMs;
    const within = { since: Math.max(since - hourMs, countedFrom), until: until ?? never };
    const hours = connection.prepare<unknown[], number>(verdictHoursSql).pluck();
    const counted = hours.all({
      ...within,
      endpoint,
      trigger: verdict.trigger,
      outcomes: JSON.stringify(verdict.outcomes),
    });
    return { hours: joinHours(counted, loggedHours(logged.get(endpoint) ?? [], { ...within, verdict })), countedFrom };
  };
  return (after) => {
    known ??= load();
    return nextRegion(known, after);
  };
}

/** The hour of the first logged count of each endpoint. */
function firstOf(logged: ReadonlyMap<string, readonly TrafficSum[]>): number[] {
  return [...logged.values()].map((sums) => Math.min(...sums.map(({ at }) => at - (at % hourMs))));
}

function loggedHours(
  sums: readonly TrafficSum[],
  p: { since: number; until: number; verdict: NonNullable<DeliveryFilter["verdict"]> },
): number[] {
  const isVerdict = ({ attachmentId, outcome }: TrafficSum) =>
    isOfTrigger(attachmentId, p.verdict.trigger) && p.verdict.outcomes.some((one) => one === outcome);
  const hours = sums.filter(isVerdict).map(({ at }) => at - (at % hourMs));
  return hours.filter((at) => at >= p.since && at < p.until);
}

/** Newest first, without duplicates. */
function joinHours(...hours: readonly number[][]): number[] {
  return [...new Set(hours.flat())].sort((a, b) => b - a);
}

/** `hours` are newest first. Exported for a test without a database. */
export function nextRegion(
  { hours, countedFrom }: { hours: readonly number[]; countedFrom: number },
  after: Position | null,
): Region {
  const hour = hours.find((at) => after === null || at < after.at || (at === after.at && lowest < after.id));
  const top = { at: hour === undefined ? countedFrom : hour + hourMs, id: lowest };
  return {
    after: after !== null && after.at < top.at ? after : top,
    downTo: hour === undefined ? null : { at: hour, id: lowest },
  };
}
