import type { DeliverySummary } from "../../../contract/delivery.ts";
import type { RunStatus, RunSummary } from "../../../contract/run.ts";
import type { DeliveryCount, TargetSummary, TrafficStore, VerdictBucket } from "../../../ports/store/traffic-store.ts";
import { toDeliverySummary } from "../../shared/delivery-shapes.ts";
import { readIdText } from "../../shared/id-text.ts";
import { toRunSummary } from "../../shared/run-shapes.ts";
import { summarizeRuns } from "../../shared/summarize-runs.ts";
import { addCounts, byEndpoint, type TrafficSum } from "../../shared/traffic/traffic-counts.ts";
import {
  type CountedVerdicts,
  joinDeliveryCounts,
  joinVerdictBuckets,
  joinVerdictCounts,
  partsOf,
  total,
  wholeBuckets,
} from "../../shared/traffic/traffic-windows.ts";
import type { PostgresDatabase } from "../database.ts";
import { readDeliveryRows } from "../lists/list-deliveries.ts";
import { readRunRows } from "../lists/list-runs.ts";
import type { Session } from "../connection/session.ts";

const newest = 10_000;

const queries = { run: queriesOf("run", "created_at"), delivery: queriesOf("delivery", "received_at") };

type SearchRequest = Parameters<TrafficStore["searchIds"]>[0];

const maxRuns = 200;

/** One row more than the summary needs shows whether there are more. */
const recentRunsSql = `
  SELECT t.place, r.* FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (slug, kind, place) CROSS JOIN LATERAL (
    SELECT status, started_at AS "startedAt", finished_at AS "finishedAt" FROM signalbox.run
    WHERE target_slug = t.slug AND target_kind = t.kind AND failure_of IS NULL AND created_at >= $3 ORDER BY created_at DESC, id DESC LIMIT ${maxRuns + 1}
  ) AS r`;

const lastRunsSql = `
  SELECT t.place, r.id FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (slug, kind, place) CROSS JOIN LATERAL (
    SELECT id FROM signalbox.run WHERE target_slug = t.slug AND target_kind = t.kind AND failure_of IS NULL ORDER BY created_at DESC, id DESC LIMIT 1
  ) AS r`;

interface RecentRow {
  place: number;
  status: RunStatus;
  startedAt: number | null;
  finishedAt: number | null;
}

export function createTrafficStore({ read, readAtOnce }: PostgresDatabase): TrafficStore {
  return {
    // Counters and log are read in one snapshot: a fold could move a count between two reads.
    countDeliveries: (p) => readAtOnce((session) => countDeliveries(session, p)),
    countVerdicts: (p) => readAtOnce((session) => countVerdicts(session, p)),
    countVerdictBuckets: (p) => readAtOnce((session) => countVerdictBuckets(session, p)),
    summarizeTargets: (p) => read((session) => summarizeTargets(session, p)),
    searchIds: (p) => read((session) => searchIds(session, p)),
  };
}

const countDeliveriesSql = `
  SELECT endpoint, at, outcome, count FROM signalbox.traffic
  WHERE bucket_ms = $1 AND endpoint = ANY($2::text[]) AND attachment_id = '' AND at >= $3 AND at < $4`;

async function countDeliveries(
  session: Session,
  p: Parameters<TrafficStore["countDeliveries"]>[0],
): Promise<DeliveryCount[]> {
  const window = wholeBuckets(p);
  const endpoints = p.endpoints === null ? null : [...new Set(p.endpoints)];
  const counted = await session.rows<DeliveryCount>(countDeliveriesSql, [
    window.bucketMs,
    endpoints ?? [total],
    window.since,
    window.until,
  ]);
  return joinDeliveryCounts(counted, { log: await readLog(session), endpoints, window });
}

const sumVerdictsSql = `
  SELECT endpoint, attachment_id AS "attachmentId", outcome, sum(count)::bigint AS count FROM signalbox.traffic
  WHERE bucket_ms = $1 AND endpoint = ANY($2::text[]) AND attachment_id > '' AND at >= $3 AND at < $4 GROUP BY endpoint, attachment_id, outcome`;

async function countVerdicts(
  session: Session,
  p: Parameters<TrafficStore["countVerdicts"]>[0],
): ReturnType<TrafficStore["countVerdicts"]> {
  const endpoints = [...new Set(p.endpoints)];
  return joinVerdictCounts(await readVerdicts(session, p), {
    log: await readLog(session),
    endpoints,
    window: wholeBuckets(p),
  });
}

async function readVerdicts(
  session: Session,
  p: Parameters<TrafficStore["countVerdicts"]>[0],
): Promise<CountedVerdicts[]> {
  const counted: CountedVerdicts[] = [];
  for (const { bucketMs, since, until } of partsOf(wholeBuckets(p)))
    counted.push(...(await session.rows<CountedVerdicts>(sumVerdictsSql, [bucketMs, p.endpoints, since, until])));
  return counted;
}

const verdictBucketsSql = `
  SELECT at, attachment_id AS "attachmentId", outcome, count FROM signalbox.traffic
  WHERE bucket_ms = $1 AND endpoint = $2 AND starts_with(attachment_id, $3) AND at >= $4 AND at < $5`;

async function countVerdictBuckets(
  session: Session,
  p: Parameters<TrafficStore["countVerdictBuckets"]>[0],
): Promise<VerdictBucket[]> {
  const { endpoint, trigger } = p;
  const window = wholeBuckets(p);
  const counted = await session.rows<VerdictBucket>(verdictBucketsSql, [
    window.bucketMs,
    endpoint,
    `${trigger}:`,
    window.since,
    window.until,
  ]);
  return joinVerdictBuckets(counted, { log: await readLog(session), endpoint, trigger, window });
}

/** Counts that are not added to the counters yet, by endpoint. */
async function readLog(session: Session): Promise<ReadonlyMap<string, readonly TrafficSum[]>> {
  const rows = await session.rows<{ counts: string }>("SELECT counts FROM signalbox.traffic_log");
  const sums = new Map<string, number>();
  for (const { counts } of rows) addCounts(sums, counts);
  return byEndpoint(sums);
}

async function summarizeTargets(
  session: Session,
  { targets, since }: Parameters<TrafficStore["summarizeTargets"]>[0],
): Promise<TargetSummary[]> {
  const values = [targets.map(({ slug }) => slug), targets.map(({ kind }) => kind)];
  const recent = Map.groupBy(await session.rows<RecentRow>(recentRunsSql, [...values, since]), ({ place }) => place);
  const last = new Map(
    (await session.rows<{ place: number; id: string }>(lastRunsSql, values)).map(({ place, id }) => [place, id]),
  );
  const rows = new Map((await readRunRows(session, [...last.values()])).map((row) => [row.id, row]));
  return targets.map((target, at) => {
    const row = rows.get(last.get(at + 1) ?? "");
    return { target, ...summarizeRuns(recent.get(at + 1) ?? [], maxRuns), lastRun: row ? toRunSummary(row) : null };
  });
}

/** Ids with the same beginning are a range of the primary key, in the order of their creation. */
function queriesOf(table: "run" | "delivery", at: string): { begin: string; end: string } {
  return {
    begin: `SELECT id FROM signalbox.${table} WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
    end: `
      SELECT id FROM (SELECT id, ${at} FROM signalbox.${table} ORDER BY ${at} DESC, id DESC LIMIT ${newest}) AS newest
      WHERE upper(right(id, length($1))) = $1 ORDER BY ${at} DESC, id DESC LIMIT $2`,
  };
}

async function searchIds(
  session: Session,
  p: SearchRequest,
): Promise<{ runs: RunSummary[]; deliveries: DeliverySummary[] }> {
  if (p.text === "") return { runs: [], deliveries: [] };
  const runIds = await findIds(session, { ...p, table: "run", prefix: "run_" });
  const deliveryIds = await findIds(session, { ...p, table: "delivery", prefix: "dlv_" });
  return {
    runs: (await readRunRows(session, runIds)).map(toRunSummary),
    deliveries: (await readDeliveryRows(session, deliveryIds)).map(toDeliverySummary),
  };
}

async function findIds(
  session: Session,
  { table, prefix, text, limit }: { table: "run" | "delivery"; prefix: string } & SearchRequest,
): Promise<string[]> {
  const { begin, end, ending } = readIdText(text, prefix);
  const begins = await session.rows<{ id: string }>(queries[table].begin, [begin, end, limit]);
  const ends = ending === null ? [] : await session.rows<{ id: string }>(queries[table].end, [ending, limit]);
  const found = [...begins, ...ends].map(({ id }) => id);
  return [...new Set(found)].sort().reverse().slice(0, limit);
}
