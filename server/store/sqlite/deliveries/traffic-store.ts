import type { DeliverySummary, VerdictOutcome } from "../../../contract/delivery.ts";
import type { Target } from "../../../contract/project/target.ts";
import type { RunSummary } from "../../../contract/run.ts";
import { type IdPrefix, type Packed, packedId, packedRange } from "../../../domain/ids.ts";
import { createDecoder, runStatusCodes, targetKindCodes } from "../../../domain/stored-codes.ts";
import type { DeliveryCount, TargetSummary, TrafficStore, VerdictBucket } from "../../../ports/store/traffic-store.ts";
import { toDeliverySummary } from "../../shared/delivery-shapes.ts";
import { readIdText } from "../../shared/id-text.ts";
import { toRunSummary } from "../../shared/run-shapes.ts";
import { summarizeRuns } from "../../shared/summarize-runs.ts";
import {
  type CountedVerdicts,
  joinDeliveryCounts,
  joinVerdictBuckets,
  joinVerdictCounts,
  partsOf,
  total,
  verdictOutcomes,
  wholeBuckets,
} from "../../shared/traffic/traffic-windows.ts";
import type { SqliteDatabase } from "../database.ts";
import { listedSql } from "../lists/list-index.ts";
import { readDeliveryRows } from "../lists/list-deliveries.ts";
import { readRunRows } from "../lists/list-runs.ts";

/** Endings of ids are searched among this many of the newest ids. */
const maxEndingCandidates = 10_000;

export const searchIdsSql = { run: queriesOf("run"), delivery: queriesOf("delivery") };

type SearchRequest = Parameters<TrafficStore["searchIds"]>[0];

const maxRuns = 200;

interface RecentRow {
  status: number;
  startedAt: number | null;
  finishedAt: number | null;
}

const statusOf = createDecoder(runStatusCodes);

/** One run more than the limit shows that there are more. */
export const recentRunsSql = `
  ${listedSql("run", {
    columns: "status, started_at AS startedAt, finished_at AS finishedAt, created_at, seq",
    index: "run_by_target",
    where: "target_slug = @slug AND target_kind = @kind AND failure_of IS NULL AND created_at >= @since",
  })} ORDER BY created_at DESC, seq DESC LIMIT ${maxRuns + 1}`;

export const lastRunSql = `
  ${listedSql("run", {
    columns: "seq, created_at",
    index: "run_by_target",
    where: "target_slug = @slug AND target_kind = @kind AND failure_of IS NULL",
  })} ORDER BY created_at DESC, seq DESC LIMIT 1`;

export function createTrafficStore(database: SqliteDatabase): TrafficStore {
  // Reads counters and log in one snapshot: in between, a count could move from the log to the counters.
  const { readInTurn } = database;
  return {
    countDeliveries: (p) => readInTurn(() => countDeliveries(database, p)),
    countVerdicts: (p) => readInTurn(() => countVerdicts(database, p)),
    countVerdictBuckets: (p) => readInTurn(() => countVerdictBuckets(database, p)),
    summarizeTargets: (p) => readInTurn(() => summarizeTargets(database, p)),
    searchIds: (p) => readInTurn(() => searchIds(database, p)),
  };
}

export const countDeliveriesSql = `
  SELECT t.endpoint, t.at, t.outcome, t.count FROM json_each(@endpoints) e CROSS JOIN traffic t
  WHERE t.bucket_ms = @bucketMs AND t.endpoint = e.value AND t.attachment_id = '' AND t.at >= @since AND t.at < @until`;

function countDeliveries(
  { connection, trafficLog }: SqliteDatabase,
  p: Parameters<TrafficStore["countDeliveries"]>[0],
): DeliveryCount[] {
  const window = wholeBuckets(p);
  const endpoints = p.endpoints === null ? [total] : [...new Set(p.endpoints)];
  const counted = connection
    .prepare<unknown[], DeliveryCount>(countDeliveriesSql)
    .all({ ...window, endpoints: JSON.stringify(endpoints) });
  return joinDeliveryCounts(counted, { log: trafficLog(), endpoints: p.endpoints === null ? null : endpoints, window });
}

/** A loose index scan: one seek for each attachment of an endpoint. */
export const attachmentsSql = `
  WITH RECURSIVE attachment(endpoint, id) AS (
    SELECT e.value, (SELECT min(t.attachment_id) FROM traffic t WHERE t.bucket_ms = @bucketMs AND t.endpoint = e.value AND t.attachment_id > '')
    FROM json_each(@endpoints) e
    UNION ALL
    SELECT a.endpoint, (SELECT min(t.attachment_id) FROM traffic t WHERE t.bucket_ms = @bucketMs AND t.endpoint = a.endpoint AND t.attachment_id > a.id)
    FROM attachment a WHERE a.id IS NOT NULL
  )
  SELECT endpoint, id AS attachmentId FROM attachment WHERE id IS NOT NULL`;

/**
 * One index range scan over the window of an attachment. Grouping all attachments at once would sort hundreds of
 * thousands of rows.
 */
export const sumVerdictsSql = `
  SELECT ${verdictOutcomes.map((outcome) => `coalesce(sum(count) FILTER (WHERE outcome = '${outcome}'), 0) AS ${outcome}`).join(", ")} FROM traffic
  WHERE bucket_ms = @bucketMs AND endpoint = @endpoint AND attachment_id = @attachmentId AND at >= @since AND at < @until`;

function countVerdicts(
  database: SqliteDatabase,
  p: Parameters<TrafficStore["countVerdicts"]>[0],
): Awaited<ReturnType<TrafficStore["countVerdicts"]>> {
  return joinVerdictCounts(readVerdicts(database, p), {
    log: database.trafficLog(),
    endpoints: [...new Set(p.endpoints)],
    window: wholeBuckets(p),
  });
}

function readVerdicts(
  { connection }: SqliteDatabase,
  p: Parameters<TrafficStore["countVerdicts"]>[0],
): CountedVerdicts[] {
  const parts = partsOf(wholeBuckets(p));
  const attachments = connection.prepare<unknown[], { endpoint: string; attachmentId: string }>(attachmentsSql);
  const sumVerdicts = connection.prepare<unknown[], Record<VerdictOutcome, number>>(sumVerdictsSql);
  return attachments
    .all({ bucketMs: p.bucketMs, endpoints: JSON.stringify([...new Set(p.endpoints)]) })
    .flatMap((attachment) => {
      const sums = parts.map((part) => sumVerdicts.get({ ...part, ...attachment }));
      return verdictOutcomes.map((outcome): CountedVerdicts => ({
        ...attachment,
        outcome,
        count: sums.reduce((sum, part) => sum + (part?.[outcome] ?? 0), 0),
      }));
    });
}

export const verdictBucketsSql = `
  SELECT at, attachment_id AS attachmentId, outcome, count FROM traffic
  WHERE bucket_ms = @bucketMs AND endpoint = @endpoint AND attachment_id > @trigger || ':' AND attachment_id < @trigger || ';' AND at >= @since AND at < @until`;

function countVerdictBuckets(
  { connection, trafficLog }: SqliteDatabase,
  p: Parameters<TrafficStore["countVerdictBuckets"]>[0],
): VerdictBucket[] {
  const { endpoint, trigger } = p;
  const window = wholeBuckets(p);
  const counted = connection.prepare<unknown[], VerdictBucket>(verdictBucketsSql).all({ ...window, endpoint, trigger });
  return joinVerdictBuckets(counted, { log: trafficLog(), endpoint, trigger, window });
}

function summarizeTargets(
  database: SqliteDatabase,
  p: Parameters<TrafficStore["summarizeTargets"]>[0],
): TargetSummary[] {
  const { connection, names } = database;
  const recentRuns = connection.prepare<unknown[], RecentRow>(recentRunsSql);
  const lastRun = connection.prepare<unknown[], number>(lastRunSql).pluck();
  return p.targets.map((target: Target) => {
    const stored = { slug: names.find(target.slug), kind: targetKindCodes[target.kind] };
    const recent = recentRuns
      .all({ ...stored, since: p.since })
      .map(({ status, ...times }) => ({ ...times, status: statusOf(status) }));
    const last = lastRun.get(stored);
    const [row] = last === undefined ? [] : readRunRows(database, [last]);
    return { target, ...summarizeRuns(recent, maxRuns), lastRun: row ? toRunSummary(row) : null };
  });
}

interface IdQueries {
  /** Finds packed ids and ids stored as text. */
  begin: string;
  newest: string;
}

/** Ids sort by creation time. Ids with the same beginning are a range of the index. */
function queriesOf(table: "run" | "delivery"): IdQueries {
  return {
    begin: `SELECT id, seq FROM ${table} WHERE id >= @first AND id <= @last ORDER BY id DESC LIMIT @limit`,
    newest: `SELECT id, seq FROM ${table} INDEXED BY ${table}_by_id ORDER BY id DESC LIMIT ${maxEndingCandidates}`,
  };
}

interface FoundId {
  id: Packed;
  seq: number;
}

function searchIds(database: SqliteDatabase, p: SearchRequest): { runs: RunSummary[]; deliveries: DeliverySummary[] } {
  if (p.text === "") return { runs: [], deliveries: [] };
  const runs = findIds(database, { ...p, table: "run", prefix: "run" });
  const deliveries = findIds(database, { ...p, table: "delivery", prefix: "dlv" });
  return {
    runs: readRunRows(database, runs).map(toRunSummary),
    deliveries: readDeliveryRows(database, deliveries).map(toDeliverySummary),
  };
}

function findIds(
  { connection }: SqliteDatabase,
  p: { table: "run" | "delivery"; prefix: IdPrefix } & SearchRequest,
): number[] {
  const { begin, end, ending } = readIdText(p.text, `${p.prefix}_`);
  const { unpack } = packedId(p.prefix);
  const queries = searchIdsSql[p.table];
  const range = packedRange(begin.slice(p.prefix.length + 1));
  const ranges = [{ first: begin, last: end }, ...(range ? [range] : [])];
  const beginning = connection.prepare<unknown[], FoundId>(queries.begin);
  const rows = ranges.flatMap((one) => beginning.all({ ...one, limit: p.limit }));
  const found = new Map(rows.map(({ id, seq }) => [unpack(id), seq]));
  if (ending !== null) {
    for (const { id, seq } of connection.prepare<unknown[], FoundId>(queries.newest).iterate()) {
      const text = unpack(id);
      if (text.toUpperCase().endsWith(ending)) found.set(text, seq);
    }
  }
  const newestFirst = [...found].sort(([a], [b]) => (a < b ? 1 : -1));
  return newestFirst.slice(0, p.limit).map(([, seq]) => seq);
}
