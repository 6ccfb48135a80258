import { asc, eq, inArray } from "drizzle-orm";
import type { Page, PageRequest } from "../../../contract/list.ts";
import { planRelease } from "../../../domain/deliveries/held.ts";
import type { HeldFilter, ReleaseRequest, ReleaseResult } from "../../../ports/store/delivery-store.ts";
import { type Position, readPageRequest, toPage } from "../../shared/lists/cursor.ts";
import { takeWaits, wake } from "../../core/event-waits.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { runAsync } from "../../shared/operation.ts";
import { lockWaits } from "./wait-locks.ts";
import type { WaitPaths } from "./wait-paths.ts";
import { decidedLines } from "../../shared/decided-lines.ts";
import { readStoredVerdicts, toStoredVerdicts } from "../../shared/stored-verdicts.ts";
import { createTrafficCounts } from "../../shared/traffic/traffic-counts.ts";
import { toInsertRuns } from "../runs/run-rows.ts";
import { insertParts, toInsert } from "../statements/insert-rows.ts";
import { assignKeySlots } from "../queue/key-slots.ts";
import { lockRoom } from "../queue/queue-room.ts";
import { delivery, trafficLog } from "../schema.ts";
import type { Session } from "../connection/session.ts";

/** Locks the rows, so that of two concurrent calls for a delivery, the later one finds it released. */
export async function releaseDeliveries(
  session: Session,
  requests: readonly ReleaseRequest[],
  p: {
    counted: (counts: number) => void;
    toStoreSession: (session: Session) => StoreSession;
    waitPaths: Pick<WaitPaths, "knownKeysOf">;
  },
): Promise<ReleaseResult[]> {
  const rows = new Map((await lockRows(session, requests)).map((row) => [row.id, row]));
  const room = await lockRoom(
    session,
    requests.flatMap(({ runs }) => runs),
  );
  const counts = createTrafficCounts();
  const results: ReleaseResult[] = [];
  for (const request of requests) {
    const row = rows.get(request.id);
    const plan = planRelease(row, request);
    const full = plan && room.take(request.runs);
    if (!row || !plan) results.push({ kind: "not_held" });
    else if (full) results.push({ kind: "full", queue: full });
    else {
      await session.db
        .update(delivery)
        .set({
          outcome: plan.outcome,
          headers: plan.headers,
          verdicts: toStoredVerdicts(plan),
          decided: decidedLines(plan.verdicts),
        })
        .where(eq(delivery.id, row.id));
      counts.add({ ...row, verdicts: readStoredVerdicts(row.verdicts).verdicts }, -1);
      counts.add({ ...row, ...plan });
      results.push({ kind: "released" });
    }
  }
  const released = requests.filter((_, at) => results[at]?.kind === "released");
  if (released.length === 0) return results;
  p.counted(counts.size());
  const runs = released.flatMap(({ id, runs }) => runs.map((run) => ({ ...run, keyId: rows.get(id)?.keyId ?? null })));
  const slots = await assignKeySlots(session, runs);
  await insertParts(session, [
    toInsert(trafficLog, [{ counts: counts.toText() }]),
    ...toInsertRuns(session, runs, slots),
  ]);
  for (const { id: deliveryId, delivered } of released) {
    const keys = p.waitPaths.knownKeysOf(delivered?.events ?? []);
    const { receivedAt = 0 } = rows.get(deliveryId) ?? {};
    const { waits } = await lockWaits(session, { keys: [...keys.keys()], receivedAt }, p);
    const ended = takeWaits(waits, { keys, receivedAt, taken: new Set() });
    await runAsync(wake(p.toStoreSession(session), ended, { deliveryId, receivedAt, toResult: delivered?.toResult }));
  }
  return results;
}

function lockRows({ db }: Session, requests: readonly ReleaseRequest[]) {
  return db
    .select({
      id: delivery.id,
      endpoint: delivery.endpoint,
      receivedAt: delivery.receivedAt,
      outcome: delivery.outcome,
      keyId: delivery.keyId,
      headers: delivery.headers,
      verdicts: delivery.verdicts,
    })
    .from(delivery)
    .where(
      inArray(
        delivery.id,
        requests.map(({ id }) => id),
      ),
    )
    .orderBy(asc(delivery.id))
    .for("no key update");
}

const heldSql = `
  SELECT received_at AS at, id FROM signalbox.delivery WHERE outcome = 'held' AND (received_at, id) > ($1, $2) AND received_at >= $3 AND received_at < $4
    AND ($5::text IS NULL OR endpoint = $5) ORDER BY received_at, id LIMIT $6`;

export async function listHeld(
  session: Session,
  { endpoint, since = 0, until = Number.MAX_SAFE_INTEGER }: HeldFilter,
  page: PageRequest,
): Promise<Page<string>> {
  const { limit, after } = readPageRequest(page);
  const rows = await session.rows<Position>(heldSql, [
    after?.at ?? -1,
    after?.id ?? "",
    since,
    until,
    endpoint ?? null,
    limit + 1,
  ]);
  return toPage(rows, { limit, position: (row) => row, shape: ({ id }) => id });
}

export async function countHeld(session: Session): Promise<number> {
  const [row] = await session.rows<{ count: number }>(
    "SELECT count(*) AS count FROM signalbox.delivery WHERE outcome = 'held'",
  );
  return row?.count ?? 0;
}
