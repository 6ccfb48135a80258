import type { CounterCursor, UpkeepBatch, UpkeepStore } from "../../../ports/store/upkeep-store.ts";
import type { Session } from "../connection/session.ts";

const looksAtOnce = 500;
const placesAtOnce = 100;
const rowsAtOnce = 5_000;

interface KeyPlace {
  endpoint: string;
  key: string;
}

const keysAfterSql = `
  SELECT endpoint, key, accepted_at AS "acceptedAt" FROM signalbox.idempotency_key WHERE (endpoint, key) > ($1, $2) ORDER BY endpoint, key LIMIT ${looksAtOnce}`;

const removeKeysSql = `
  DELETE FROM signalbox.idempotency_key i USING unnest($1::text[], $2::text[]) AS t (endpoint, key) WHERE i.endpoint = t.endpoint AND i.key = t.key AND i.accepted_at < $3`;

export async function removeKeys(
  session: Session,
  { before, after }: Parameters<UpkeepStore["removeOldKeys"]>[0],
): Promise<UpkeepBatch<KeyPlace>> {
  const rows = await session.rows<KeyPlace & { acceptedAt: number }>(keysAfterSql, [
    after?.endpoint ?? "",
    after?.key ?? "",
  ]);
  const old = rows.filter(({ acceptedAt }) => acceptedAt < before);
  const removed =
    old.length === 0
      ? 0
      : await session.change(removeKeysSql, [old.map(({ endpoint }) => endpoint), old.map(({ key }) => key), before]);
  const last = rows.at(-1);
  return { removed, next: last && rows.length === looksAtOnce ? { endpoint: last.endpoint, key: last.key } : null };
}

/** Jumps from one endpoint and attachment to the next, however many counters each has. */
const placesAfterSql = `
  WITH RECURSIVE place AS (
    (SELECT bucket_ms, endpoint, attachment_id FROM signalbox.traffic WHERE (bucket_ms, endpoint, attachment_id) > ($1, $2, $3) ORDER BY bucket_ms, endpoint, attachment_id LIMIT 1)
    UNION ALL
    SELECT n.* FROM place p CROSS JOIN LATERAL (
      SELECT t.bucket_ms, t.endpoint, t.attachment_id FROM signalbox.traffic t WHERE (t.bucket_ms, t.endpoint, t.attachment_id) > (p.bucket_ms, p.endpoint, p.attachment_id)
      ORDER BY t.bucket_ms, t.endpoint, t.attachment_id LIMIT 1
    ) AS n
  )
  SELECT bucket_ms AS "bucketMs", endpoint, attachment_id AS "attachmentId" FROM place LIMIT ${placesAtOnce}`;

const removeCountersSql = `
  DELETE FROM signalbox.traffic WHERE ctid = ANY(ARRAY(
    SELECT t.ctid FROM unnest($1::bigint[], $2::text[], $3::text[]) AS p (bucket_ms, endpoint, attachment_id)
    JOIN signalbox.traffic t ON t.bucket_ms = p.bucket_ms AND t.endpoint = p.endpoint AND t.attachment_id = p.attachment_id AND t.at < $4::bigint - $4::bigint % p.bucket_ms
    LIMIT ${rowsAtOnce}))`;

const start: CounterCursor = { bucketMs: 0, endpoint: "", attachmentId: "" };

export async function removeCounters(
  session: Session,
  { before, after }: Parameters<UpkeepStore["removeOldCounters"]>[0],
): Promise<UpkeepBatch<CounterCursor>> {
  const { bucketMs, endpoint, attachmentId } = after ?? start;
  const places = await session.rows<CounterCursor>(placesAfterSql, [bucketMs, endpoint, attachmentId]);
  const columns = [
    places.map((place) => place.bucketMs),
    places.map((place) => place.endpoint),
    places.map((place) => place.attachmentId),
  ];
  const removed = await session.change(removeCountersSql, [...columns, before]);
  if (removed === rowsAtOnce) return { removed, next: after ?? start };
  return { removed, next: places.length === placesAtOnce ? (places.at(-1) ?? null) : null };
}
