import { withWoken } from "../../../matching/delivered-events.ts";
import { eq, inArray } from "drizzle-orm";
import { reservesKey } from "../../../domain/deliveries/held.ts";
import { deliveryOutcomeCodes } from "../../../domain/stored-codes.ts";
import type { AcceptedRun, AcceptResult, DeliveryStore, NewDelivery } from "../../../ports/store/delivery-store.ts";
import type { CoreStore } from "../../core/core-store.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { toDelivery } from "../../shared/delivery-shapes.ts";
import { type Packed, packedHex } from "../../../domain/ids.ts";
import { type AcceptRequest, classifyRepeat, toFirstRuns } from "../../shared/repeats.ts";
import type { CountTraffic } from "../../shared/traffic/traffic-counts.ts";
import type { SqliteDatabase } from "../database.ts";
import type { InsertRun, QueueCapacity } from "../runs/insert-run.ts";
import { countHeld, listHeld, prepareReleaseDelivery } from "./held-deliveries.ts";
import { listDeliveries, nameDelivery } from "../lists/list-deliveries.ts";
import { delivery } from "../schema.ts";
import { deliveryId, readTarget, runId } from "../stored-forms.ts";
import { packVerdicts } from "./verdicts.ts";
import { prepareWakeRuns, type WaitPaths, type WakeRuns } from "./wake-runs.ts";
import type { WriteQueue } from "../writes/write-queue.ts";

export function createDeliveryStore(
  database: SqliteDatabase,
  p: {
    insertRun: InsertRun;
    capacity: QueueCapacity;
    countTraffic: CountTraffic;
    queueing: WriteQueue["write"];
    session: StoreSession;
    waitPaths: WaitPaths;
  },
): Omit<DeliveryStore, keyof CoreStore> {
  const { db, names, read, readInTurn } = database;
  const insertDelivery = prepareInsertDelivery(database, p.countTraffic);
  const wakeRuns = prepareWakeRuns(database, p);
  const acceptDelivery = prepareAcceptDelivery(database, {
    insertDelivery,
    insertRun: p.insertRun,
    capacity: p.capacity,
    wakeRuns,
  });
  const releaseDelivery = prepareReleaseDelivery(database, { ...p, wakeRuns });
  return {
    acceptDelivery: (request, terms) => p.queueing(() => acceptDelivery(request), "fsync", terms),
    releaseDelivery: (request) => p.queueing(() => releaseDelivery(request)),
    listHeld: (filter, page) => readInTurn(() => listHeld(database, filter, page)),
    countHeld: () => readInTurn(() => countHeld(database)),
    recordDelivery: (newDelivery, terms) => p.queueing(() => void insertDelivery(newDelivery), "fsync", terms),
    listDeliveries: (filter, page) => listDeliveries(database, filter, page),
    getDelivery: (id) =>
      readInTurn(() => {
        const row = db.select().from(delivery).where(eq(delivery.id, id)).get();
        return row ? toDelivery(nameDelivery(row, names)) : null;
      }),
    getDeliveryBodies: (ids) =>
      readInTurn(() => {
        const rows = db
          .select({ id: delivery.id, body: delivery.body })
          .from(delivery)
          .where(inArray(delivery.id, [...ids]))
          .all();
        return new Map(rows.map(({ id, body }) => [id, body]));
      }),
    getDeliveryHeaders: (id) =>
      read(
        () => db.select({ headers: delivery.headers }).from(delivery).where(eq(delivery.id, id)).get()?.headers ?? null,
      ),
  };
}

/** Records a delivery and counts it. Returns its `seq`. */
type InsertDelivery = (newDelivery: NewDelivery, idempotencyKey?: string | null) => number;

const insertSql = `
  INSERT INTO delivery (id, endpoint, received_at, method, outcome, response_status, duration_ms, body_bytes, body_sha256,
    key, redelivery_of, idempotency_key, headers, problem, verdicts, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function prepareInsertDelivery(
  { connection, names, changed }: SqliteDatabase,
  countTraffic: CountTraffic,
): InsertDelivery {
  const insert = connection.prepare(insertSql);
  return (delivery, idempotencyKey = null) => {
    const { endpoint, outcome, bodySha256, keyId, redeliveryOf, problem } = delivery;
    const { lastInsertRowid } = insert.run(
      deliveryId.pack(delivery.id),
      outcome === "rejected" ? names.looseIdOf(endpoint) : names.idOf(endpoint),
      delivery.receivedAt,
      names.idOf(delivery.method),
      deliveryOutcomeCodes[outcome],
      delivery.responseStatus,
      delivery.durationMs,
      delivery.bodyBytes,
      bodySha256 === null ? null : packedHex.pack(bodySha256),
      keyId === null ? null : names.idOf(keyId),
      redeliveryOf === null ? null : deliveryId.pack(redeliveryOf),
      idempotencyKey === null ? null : packedHex.pack(idempotencyKey),
      JSON.stringify(delivery.headers),
      problem === null ? null : JSON.stringify(problem),
      packVerdicts(delivery, names),
      delivery.body,
    );
    countTraffic(delivery);
    changed("deliveries");
    return Number(lastInsertRowid);
  };
}

/** Implements `acceptDelivery`. It runs under the write lock, so exactly one of several equal calls is the first. */
function prepareAcceptDelivery(
  database: SqliteDatabase,
  p: { insertDelivery: InsertDelivery; insertRun: InsertRun; capacity: QueueCapacity; wakeRuns: WakeRuns },
): (request: AcceptRequest) => AcceptResult {
  const { connection, names } = database;
  const findFirst = connection.prepare<unknown[], FirstRow>(
    "SELECT seq, id, body_sha256 AS bodySha256, received_at AS acceptedAt FROM delivery WHERE endpoint = ? AND idempotency_key = ?",
  );
  const releaseKey = connection.prepare("UPDATE delivery SET idempotency_key = NULL WHERE seq = ?");
  const listFirstRuns = prepareListFirstRuns(database);
  return (request) => {
    const { idempotency, runs, delivered } = request;
    let { delivery } = request;
    const found = idempotency && findFirst.get(names.find(delivery.endpoint), packedHex.pack(idempotency.key));
    const repeat = found && classifyRepeat(toFirst(found), request);
    if (repeat)
      return repeat.kind === "conflict"
        ? { kind: "conflict", deliveryId: repeat.deliveryId }
        : {
            kind: "repeated",
            deliveryId: repeat.deliveryId,
            runs: listFirstRuns(found.seq),
            ...p.wakeRuns.listWoken(repeat.deliveryId),
          };
    // Returned, not thrown: an operation that throws makes its whole batch start again, one operation at a time.
    const queue = p.capacity.findFull(runs);
    if (queue) return { kind: "full", queue };
    const { ended, hasMore } = delivered ? p.wakeRuns.find(delivered, delivery) : { ended: [], hasMore: false };
    delivery = withWoken(delivery, { delivered, runs: runs.length, woke: ended.length });
    const key = reservesKey(delivery.outcome) ? (idempotency?.key ?? null) : null;
    if (found && key !== null) releaseKey.run(found.seq);
    const seq = p.insertDelivery(delivery, key);
    for (const run of runs) p.insertRun(run, { seq, delivery });
    if (ended.length === 0) return { kind: "accepted" };
    const woke = p.wakeRuns.wake(ended, delivery, delivered?.toResult);
    return { kind: "accepted", woke, ...(hasMore && { hasMoreWaiting: true }) };
  };
}

interface FirstRow {
  seq: number;
  id: Packed;
  bodySha256: Packed | null;
  acceptedAt: number;
}

function toFirst({ id, bodySha256, acceptedAt }: FirstRow) {
  return {
    deliveryId: deliveryId.unpack(id),
    bodySha256: bodySha256 === null ? null : packedHex.unpack(bodySha256),
    acceptedAt,
  };
}

function prepareListFirstRuns({ connection, names }: SqliteDatabase): (deliverySeq: number) => AcceptedRun[] {
  const select = connection.prepare<
    unknown[],
    { id: Packed; trigger: number | null; attachment: number; target: number }
  >(
    "SELECT id, trigger, attachment, target FROM run WHERE delivery = ? AND replay_of IS NULL AND attachment IS NOT NULL ORDER BY seq",
  );
  return (deliverySeq) => {
    const rows = select.all(deliverySeq).map(({ id, trigger, attachment, target }) => ({
      id: runId.unpack(id),
      trigger: trigger === null ? null : names.textOf(trigger),
      attachmentId: names.textOf(attachment),
      ...readTarget(names.textOf(target)),
    }));
    return toFirstRuns(rows.sort((a, b) => compareText(a.attachmentId, b.attachmentId)));
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
