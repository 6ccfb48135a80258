import type { DeliveryCount, TrafficStore, VerdictBucket } from "../../ports/store/traffic-store.ts";
import { addCounts, byEndpoint, expandSharedLists, sharedListsOf, type TrafficSum } from "../shared/traffic-counts.ts";
import {
  type CountedVerdicts,
  joinDeliveryCounts,
  joinVerdictBuckets,
  joinVerdictCounts,
  partsOf,
  together,
  wholeBuckets,
} from "../shared/traffic-windows.ts";
import type { PostgresDatabase } from "./database.ts";
import { searchIds } from "./search-ids.ts";
import type { Session } from "./session.ts";
import { summarizeTargets } from "./summarize-targets.ts";
import type { VerdictReader } from "./verdict-sets.ts";

export function createTrafficStore({ read, readAtOnce, verdicts }: PostgresDatabase): TrafficStore {
  return {
    // Counters and log are read at once: a count could move from the one to the other in between.
    countDeliveries: (p) => readAtOnce((session) => countDeliveries(session, verdicts, p)),
    countVerdicts: (p) => readAtOnce((session) => countVerdicts(session, verdicts, p)),
    countVerdictBuckets: (p) => readAtOnce((session) => countVerdictBuckets(session, verdicts, p)),
    summarizeTargets: (p) => read((session) => summarizeTargets(session, p)),
    searchIds: (p) => read((session) => searchIds(session, verdicts, p)),
  };
}

const countDeliveriesSql = `
  SELECT endpoint, at, outcome, count FROM traffic
  WHERE bucket_ms = $1 AND endpoint = ANY($2::text[]) AND attachment_id = '' AND at >= $3 AND at < $4`;

async function countDeliveries(
  session: Session,
  verdicts: VerdictReader,
  p: Parameters<TrafficStore["countDeliveries"]>[0],
): Promise<DeliveryCount[]> {
  const window = wholeBuckets(p);
  const endpoints = p.endpoints === null ? null : [...new Set(p.endpoints)];
  const counted = await session.rows<DeliveryCount>(countDeliveriesSql, [
    window.bucketMs,
    endpoints ?? [together],
    window.since,
    window.until,
  ]);
  return joinDeliveryCounts(counted, { log: await readLog(session, verdicts), endpoints, window });
}

const sumVerdictsSql = `
  SELECT endpoint, attachment_id AS "attachmentId", outcome, sum(count)::bigint AS count FROM traffic
  WHERE bucket_ms = $1 AND endpoint = ANY($2::text[]) AND attachment_id > '' AND at >= $3 AND at < $4 GROUP BY endpoint, attachment_id, outcome`;

async function countVerdicts(
  session: Session,
  verdicts: VerdictReader,
  p: Parameters<TrafficStore["countVerdicts"]>[0],
): ReturnType<TrafficStore["countVerdicts"]> {
  const endpoints = [...new Set(p.endpoints)];
  return joinVerdictCounts(await readVerdicts(session, p), {
    log: await readLog(session, verdicts),
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
  SELECT at, attachment_id AS "attachmentId", outcome, count FROM traffic
  WHERE bucket_ms = $1 AND endpoint = $2 AND starts_with(attachment_id, $3) AND at >= $4 AND at < $5`;

async function countVerdictBuckets(
  session: Session,
  verdicts: VerdictReader,
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
  return joinVerdictBuckets(counted, { log: await readLog(session, verdicts), endpoint, trigger, window });
}

/** What was counted and is not in the counters yet, by endpoint. */
async function readLog(session: Session, verdicts: VerdictReader): Promise<ReadonlyMap<string, readonly TrafficSum[]>> {
  const rows = await session.rows<{ counts: string }>("SELECT counts FROM traffic_log");
  return byEndpoint(await expandLog(session, rows, verdicts));
}

export async function expandLog(
  session: Session,
  rows: readonly { counts: string }[],
  verdicts: VerdictReader,
): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const { counts } of rows) addCounts(sums, counts);
  const readShared = await verdicts.readShared(session, sharedListsOf(sums));
  return expandSharedLists(sums, readShared);
}
