import type { Page, PageRequest } from "../../../contract/list.ts";
import { planRelease } from "../../../domain/deliveries/held.ts";
import { type Packed } from "../../../domain/ids.ts";
import { createDecoder, deliveryOutcomeCodes } from "../../../domain/stored-codes.ts";
import type { HeldFilter, ReleaseRequest, ReleaseResult } from "../../../ports/store/delivery-store.ts";
import { readPageRequest, toPage } from "../../shared/lists/cursor.ts";
import type { CountTraffic } from "../../shared/traffic/traffic-counts.ts";
import type { SqliteDatabase } from "../database.ts";
import type { InsertRun, QueueCapacity } from "../runs/insert-run.ts";
import { listedSql } from "../lists/list-index.ts";
import { readSeq, toPositionId } from "../lists/list-reader.ts";
import { noName } from "../names.ts";
import { deliveryId } from "../stored-forms.ts";
import { packVerdicts, unpackVerdicts } from "./verdicts.ts";
import type { WakeRuns } from "./wake-runs.ts";

interface HeldRow {
  seq: number;
  endpoint: number;
  receivedAt: number;
  outcome: number;
  key: number | null;
  headers: string;
  verdicts: string;
}

const outcomeOf = createDecoder(deliveryOutcomeCodes);

/** Implements `releaseDelivery`. It runs under the write lock, so exactly one of several equal calls is the first. */
export function prepareReleaseDelivery(
  { connection, names, changed }: SqliteDatabase,
  p: { insertRun: InsertRun; capacity: QueueCapacity; countTraffic: CountTraffic; wakeRuns: WakeRuns },
): (request: ReleaseRequest) => ReleaseResult {
  const find = connection.prepare<unknown[], HeldRow>(
    "SELECT seq, endpoint, received_at AS receivedAt, outcome, key, headers, verdicts FROM delivery WHERE id = ?",
  );
  const update = connection.prepare("UPDATE delivery SET outcome = ?, headers = ?, verdicts = ? WHERE seq = ?");
  // A row that is not in the list index yet is copied to it later.
  const updateListed = connection.prepare("UPDATE delivery_list SET outcome = ? WHERE seq = ?");
  return (request) => {
    const row = find.get(deliveryId.pack(request.id));
    // The store wrote these headers.
    const found = row && {
      outcome: outcomeOf(row.outcome),
      headers: JSON.parse(row.headers) as Record<string, string>,
    };
    const plan = planRelease(found, request);
    if (!row || !found || !plan) return { kind: "not_held" };
    const queue = p.capacity.findFull(request.runs);
    if (queue) return { kind: "full", queue };
    const outcome = deliveryOutcomeCodes[plan.outcome];
    update.run(outcome, JSON.stringify(plan.headers), packVerdicts(plan, names), row.seq);
    updateListed.run(outcome, row.seq);
    const keyId = row.key === null ? null : names.textOf(row.key);
    const accepted = { seq: row.seq, delivery: { id: request.id, body: null } };
    for (const run of request.runs) p.insertRun({ ...run, keyId }, accepted);
    if (request.delivered) {
      const released = { id: request.id, receivedAt: row.receivedAt };
      p.wakeRuns.wake(p.wakeRuns.find(request.delivered, released).ended, released, request.delivered.toResult);
    }
    const counted = { endpoint: names.textOf(row.endpoint), receivedAt: row.receivedAt };
    p.countTraffic({ ...counted, ...found, verdicts: unpackVerdicts(row.verdicts, names).verdicts }, -1);
    p.countTraffic({ ...counted, ...plan });
    changed("deliveries");
    return { kind: "released" };
  };
}

const countHeldSql = `SELECT count(*) FROM (${listedSql("delivery", {
  columns: "1",
  index: "delivery_by_outcome",
  where: `outcome = ${deliveryOutcomeCodes.held}`,
})})`;

export function countHeld({ connection }: SqliteDatabase): number {
  return connection.prepare<[], number>(countHeldSql).pluck().get() ?? 0;
}

interface HeldPosition {
  at: number;
  seq: number;
  id: Packed;
}

export const heldSql = `
  SELECT held.at, held.seq, delivery.id FROM (
    ${listedSql("delivery", {
      columns: "received_at AS at, seq",
      index: "delivery_by_outcome",
      where: `outcome = ${deliveryOutcomeCodes.held} AND (received_at, seq) > (@at, @seq) AND received_at >= @since AND received_at < @until
        AND (@endpoint IS NULL OR endpoint = @endpoint)`,
    })} ORDER BY at, seq LIMIT @rows
  ) AS held JOIN delivery ON delivery.seq = held.seq ORDER BY held.at, held.seq`;

export function listHeld(
  { connection, names }: SqliteDatabase,
  { endpoint, since = 0, until = Number.MAX_SAFE_INTEGER }: HeldFilter,
  page: PageRequest,
): Page<string> {
  const { limit, after } = readPageRequest(page);
  const rows = connection.prepare<unknown[], HeldPosition>(heldSql).all({
    at: after?.at ?? -1,
    seq: after ? readSeq(after.id) : 0,
    since,
    until,
    endpoint: endpoint === undefined ? null : (names.find(endpoint) ?? noName),
    rows: limit + 1,
  });
  return toPage(rows, {
    limit,
    position: ({ at, seq }) => ({ at, id: toPositionId(seq) }),
    shape: ({ id }) => deliveryId.unpack(id),
  });
}
