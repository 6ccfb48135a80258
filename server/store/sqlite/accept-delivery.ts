import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { AcceptedRun, AcceptResult, NewDelivery } from "../../ports/store/delivery-store.ts";
import { type AcceptRequest, judgeRepeat, toFirstRuns } from "../shared/repeats.ts";
import { toStoredVerdicts } from "../shared/stored-verdicts.ts";
import type { CountTraffic } from "../shared/traffic-counts.ts";
import type { SqliteDatabase } from "./database.ts";
import type { InsertRun } from "./insert-run.ts";
import { prepareInsert } from "./prepare-insert.ts";
import type { QueueRoom } from "./queue-room.ts";
import { delivery, idempotencyKey, run } from "./schema.ts";

/** The verb behind `acceptDelivery`: runs inside the write lock, so equal calls that race come here one after the other. */
export function prepareAcceptDelivery(
  database: SqliteDatabase,
  {
    insertDelivery,
    insertRun,
    room,
  }: { insertDelivery: (newDelivery: NewDelivery) => void; insertRun: InsertRun; room: QueueRoom },
): (request: AcceptRequest) => AcceptResult {
  const findRepeat = prepareFindRepeat(database);
  const rememberKey = prepareRememberKey(database);
  return (request) => {
    const repeat = findRepeat(request);
    if (repeat) return repeat;
    // Told, not thrown: what one throws has the whole batch tried again, one by one.
    const queue = room.findFull(request.runs);
    if (queue) return { kind: "full", queue };
    insertDelivery(request.delivery);
    for (const newRun of request.runs) insertRun(newRun);
    rememberKey(request);
    return { kind: "accepted" };
  };
}

/** Records a delivery and counts it. */
export function prepareInsertDelivery(
  { db, connection }: SqliteDatabase,
  countTraffic: CountTraffic,
): (newDelivery: NewDelivery) => void {
  const query = db.insert(delivery).values({
    id: sql.placeholder("id"),
    endpoint: sql.placeholder("endpoint"),
    receivedAt: sql.placeholder("receivedAt"),
    method: sql.placeholder("method"),
    outcome: sql.placeholder("outcome"),
    responseStatus: sql.placeholder("responseStatus"),
    durationMs: sql.placeholder("durationMs"),
    bodyBytes: sql.placeholder("bodyBytes"),
    bodySha256: sql.placeholder("bodySha256"),
    keyId: sql.placeholder("keyId"),
    headers: sql.placeholder("headers"),
    problem: sql.placeholder("problem"),
    verdicts: sql.placeholder("verdicts"),
    body: sql.placeholder("body"),
    redeliveryOf: sql.placeholder("redeliveryOf"),
  });
  const insert = prepareInsert(connection, query);
  return (newDelivery) => {
    insert({ ...newDelivery, verdicts: toStoredVerdicts(newDelivery) });
    countTraffic(newDelivery);
  };
}

function prepareFindRepeat(database: SqliteDatabase): (request: AcceptRequest) => AcceptResult | null {
  const findKey = database.db
    .select()
    .from(idempotencyKey)
    .where(
      and(eq(idempotencyKey.endpoint, sql.placeholder("endpoint")), eq(idempotencyKey.key, sql.placeholder("key"))),
    )
    .prepare();
  return (request) => {
    const { delivery, idempotency } = request;
    if (!idempotency) return null;
    const repeat = judgeRepeat(findKey.get({ endpoint: delivery.endpoint, key: idempotency.key }), request);
    if (!repeat) return null;
    const { kind, deliveryId } = repeat;
    return kind === "conflict" ? { kind, deliveryId } : { kind, deliveryId, runs: listFirstRuns(database, deliveryId) };
  };
}

function listFirstRuns({ db }: SqliteDatabase, deliveryId: string): AcceptedRun[] {
  const rows = db
    .select({
      id: run.id,
      trigger: run.trigger,
      attachmentId: run.attachmentId,
      kind: run.targetKind,
      slug: run.targetSlug,
    })
    .from(run)
    .where(and(eq(run.deliveryId, deliveryId), isNull(run.replayOf), isNotNull(run.attachmentId)))
    .orderBy(asc(run.attachmentId), asc(run.id))
    .all();
  return toFirstRuns(rows);
}

function prepareRememberKey({ db }: SqliteDatabase): (request: AcceptRequest) => void {
  const upsert = db
    .insert(idempotencyKey)
    .values({
      endpoint: sql.placeholder("endpoint"),
      key: sql.placeholder("key"),
      deliveryId: sql.placeholder("deliveryId"),
      bodySha256: sql.placeholder("bodySha256"),
      acceptedAt: sql.placeholder("acceptedAt"),
    })
    .onConflictDoUpdate({
      target: [idempotencyKey.endpoint, idempotencyKey.key],
      set: {
        deliveryId: sql`excluded.delivery_id`,
        bodySha256: sql`excluded.body_sha256`,
        acceptedAt: sql`excluded.accepted_at`,
      },
    })
    .prepare();
  return ({ delivery: { id, endpoint, outcome, bodySha256, receivedAt }, idempotency }) => {
    if (idempotency && outcome === "accepted")
      upsert.run({ endpoint, key: idempotency.key, deliveryId: id, bodySha256, acceptedAt: receivedAt });
  };
}
