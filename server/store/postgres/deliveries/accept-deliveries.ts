import { withWoken } from "../../../matching/delivered-events.ts";
import { and, asc, inArray, isNotNull, isNull } from "drizzle-orm";
import type { MatchedEvent } from "../../../domain/runs/event-waits.ts";
import type {
  AcceptedRun,
  AcceptResult,
  DeliveredEvents,
  NewDelivery,
  WokenRun,
  WriteTerms,
} from "../../../ports/store/delivery-store.ts";
import type { NewRun } from "../../../ports/store/new-run.ts";
import type { LeftRun } from "../../../ports/store/run-store.ts";
import { reservesKey } from "../../../domain/deliveries/held.ts";
import { findWoken } from "../../core/event-waits.ts";
import { type EndedWait, type OpenWait, takeWaits, wake } from "../../core/wake-runs.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { runAsync } from "../../shared/operation.ts";
import { decidedLines } from "../../shared/decided-lines.ts";
import { type AcceptRequest, type FirstDelivery, classifyRepeat, toFirstRuns } from "../../shared/repeats.ts";
import { toStoredVerdicts } from "../../shared/stored-verdicts.ts";
import { createTrafficCounts } from "../../shared/traffic/traffic-counts.ts";
import { inPortions } from "../statements/in-portions.ts";
import { type InsertPart, insertParts, insertRows, toInsert } from "../statements/insert-rows.ts";
import { needsKeySlot, assignKeySlots } from "../queue/key-slots.ts";
import { lockWaits } from "./wait-locks.ts";
import { lockRoom, type QueueRoom } from "../queue/queue-room.ts";
import { lockReplayed, type ReplayedRuns } from "../runs/resume-runs.ts";
import { toInsertRuns } from "../runs/run-rows.ts";
import { delivery, idempotencyKey, run, trafficLog } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { looksUp } from "../statements/look-up.ts";

/** The records of one call: a delivery with its runs, or runs without a delivery. Of such runs, all or those that fit. */
export interface AcceptJob {
  delivery: NewDelivery | null;
  runs: readonly NewRun[];
  idempotency: AcceptRequest["idempotency"];
  isFitting?: boolean;
  /** With the keys of the waits that it ends. */
  delivered?: (DeliveredEvents & { keys: ReadonlyMap<string, MatchedEvent> }) | undefined;
}

export interface AcceptAnswer {
  result: AcceptResult;
  /** Runs that were not recorded. */
  left: LeftRun[];
}

export type AcceptOperation = (job: AcceptJob, terms?: WriteTerms) => Promise<AcceptAnswer>;

interface KeyRow extends FirstDelivery {
  endpoint: string;
  key: string;
}

/**
 * Whether `acceptDeliveries` writes these calls with one statement, and reads nothing before it. None of them has a
 * key, a bounded queue, or an event that runs may wait for. No run needs a slot of its key, or may be replayed once
 * only. The bodies fit into one statement.
 */
export function isOneStatement(jobs: readonly AcceptJob[]): boolean {
  const isPlain = ({ runs, idempotency, isFitting, delivered }: AcceptJob) =>
    idempotency === null &&
    !isFitting &&
    !delivered?.keys.size &&
    runs.every((run) => typeof run.maxQueued !== "number" && !run.isOnlyReplay && !needsKeySlot(run));
  return jobs.every(isPlain) && divide(jobs.flatMap(({ delivery }) => delivery ?? [])).length <= 1;
}

const divide = (deliveries: readonly NewDelivery[]) => inPortions(deliveries, ({ body }) => body?.length ?? 0);

/** Records many calls with as many statements as one. */
export async function acceptDeliveries(
  session: Session,
  requests: readonly AcceptJob[],
  p: { counted: (counts: number) => void; toStoreSession: (session: Session) => StoreSession },
): Promise<AcceptAnswer[]> {
  const keys = await lockKeys(session, requests);
  const all = requests.flatMap(({ runs }) => runs);
  const room = await lockRoom(session, all);
  const replayed = await lockReplayed(session, all);
  const { waits, hasMore } = await lockWaits(session, waitedFor(requests), p);
  const { decisions, remembered } = decideAll(requests, keys, { room, replayed, waits });
  const accepted = decisions.filter(({ answer }) => answer === null);
  await record(
    session,
    {
      deliveries: accepted.flatMap(({ delivery }) => delivery ?? []),
      runs: accepted.flatMap(({ runs }) => runs),
    },
    p,
  );
  await rememberKeys(session, remembered);
  const repeated = decisions.flatMap(({ answer }) => (answer?.kind === "repeated" ? [answer.deliveryId] : []));
  const runsOf = await listFirstRuns(session, repeated);
  const wokenBy =
    repeated.length > 0
      ? await runAsync(findWoken(p.toStoreSession(session), repeated))
      : new Map<string, WokenRun[]>();
  const answers: AcceptAnswer[] = [];
  for (const { answer, left, delivery: accepted, ended, toResult } of decisions) {
    if (answer?.kind === "repeated") {
      const { deliveryId } = answer;
      const woke = wokenBy.get(deliveryId);
      const first = { runs: runsOf.get(deliveryId) ?? [], ...(woke && { woke }) };
      answers.push({ result: { kind: "repeated", deliveryId, ...first }, left });
    } else if (answer || ended.length === 0 || !accepted)
      answers.push({ result: answer ?? { kind: "accepted" }, left });
    else {
      const { id: deliveryId, receivedAt } = accepted;
      const woke = await runAsync(wake(p.toStoreSession(session), ended, { deliveryId, receivedAt, toResult }));
      answers.push({ result: { kind: "accepted", woke, ...(hasMore && { hasMoreWaiting: true }) }, left });
    }
  }
  return answers;
}

/** The keys of the waits that these calls end, and the time of the first delivery among them. */
function waitedFor(requests: readonly AcceptJob[]): { keys: string[]; receivedAt: number } {
  const some = requests.filter(({ delivered }) => delivered && delivered.keys.size > 0);
  return {
    keys: some.flatMap(({ delivered }) => [...(delivered?.keys.keys() ?? [])]),
    receivedAt: Math.min(...some.flatMap(({ delivery }) => delivery?.receivedAt ?? [])),
  };
}

interface Decision {
  delivery: NewDelivery | null;
  /** The runs to record. */
  runs: readonly NewRun[];
  left: AcceptAnswer["left"];
  /** The waits that it ends. */
  ended: readonly EndedWait[];
  toResult?: DeliveredEvents["toResult"];
  /** `null`: accepted. */
  answer: Exclude<AcceptResult, { kind: "accepted" | "repeated" }> | { kind: "repeated"; deliveryId: string } | null;
}

/**
 * Decides each call in order, as if it were alone. An earlier call of the same batch can be the first with its key, or
 * take the last place in a queue.
 */
function decideAll(
  jobs: readonly AcceptJob[],
  rows: readonly KeyRow[],
  { room, replayed, waits }: { room: QueueRoom; replayed: ReplayedRuns; waits: readonly OpenWait[] },
): { decisions: Decision[]; remembered: KeyRow[] } {
  const known = new Map(rows.map((row) => [nameOf(row.endpoint, row.key), row]));
  const remembered = new Map<string, KeyRow>();
  const taken = new Set<string>();

  function decide({ delivery: given, runs, idempotency, isFitting, delivered }: AcceptJob): Decision {
    let delivery = given;
    const name = delivery && idempotency && nameOf(delivery.endpoint, idempotency.key);
    const repeat = delivery && name ? classifyRepeat(known.get(name), { delivery, idempotency }) : null;
    if (repeat) return { delivery, runs: [], left: [], ended: [], answer: { ...repeat } };
    if (isFitting) return { delivery, ...takeFitting(runs), ended: [], answer: null };
    const queue = room.take(runs);
    if (queue) return { delivery, runs: [], left: [], ended: [], answer: { kind: "full", queue } };
    const ended =
      delivery && delivered ? takeWaits(waits, { keys: delivered.keys, receivedAt: delivery.receivedAt, taken }) : [];
    if (delivery) delivery = withWoken(delivery, { delivered, runs: runs.length, woke: ended.length });
    if (delivery && name && idempotency && reservesKey(delivery.outcome)) {
      const row = {
        endpoint: delivery.endpoint,
        key: idempotency.key,
        deliveryId: delivery.id,
        bodySha256: delivery.bodySha256,
        acceptedAt: delivery.receivedAt,
      };
      known.set(name, row);
      remembered.set(name, row);
    }
    return { delivery, runs, left: [], ended, toResult: delivered?.toResult, answer: null };
  }

  /** Of runs without a delivery, those that have a place in their queue and replay a run that allows it. */
  function takeFitting(runs: readonly NewRun[]): Pick<Decision, "runs" | "left"> {
    const left: LeftRun[] = [];
    const fitting: NewRun[] = [];
    for (const newRun of runs) {
      const { id } = newRun;
      const obstacle = replayed.findObstacle(newRun);
      const queue = obstacle === null ? room.take([newRun]) : null;
      if (obstacle !== null) left.push({ id, obstacle });
      else if (queue) left.push({ id, queue });
      else {
        fitting.push(newRun);
        replayed.add(newRun);
      }
    }
    return { runs: fitting, left };
  }

  return { decisions: jobs.map(decide), remembered: [...remembered.values()] };
}

function nameOf(endpoint: string, key: string): string {
  return JSON.stringify([endpoint, key]);
}

const lockKeysSql = `
  SELECT pg_advisory_xact_lock(number) FROM (
    SELECT DISTINCT hashtextextended(endpoint || chr(1) || key, 0) AS number FROM unnest($1::text[], $2::text[]) AS t (endpoint, key) ORDER BY number
  ) AS sorted`;

const keysSql = `
  SELECT i.endpoint, i.key, i.delivery_id AS "deliveryId", i.body_sha256 AS "bodySha256", i.accepted_at AS "acceptedAt"
  FROM unnest($1::text[], $2::text[]) AS t (endpoint, key)
    JOIN signalbox.idempotency_key i ON ${looksUp("i.endpoint", "t.endpoint")} AND i.key = t.key`;

/** Locks the keys, in one order for all processes. Of equal concurrent calls, the later ones wait. */
async function lockKeys(session: Session, jobs: readonly AcceptJob[]): Promise<KeyRow[]> {
  const keys = jobs.flatMap((job) =>
    job.delivery && job.idempotency ? [{ endpoint: job.delivery.endpoint, key: job.idempotency.key }] : [],
  );
  if (keys.length === 0) return [];
  const values = [keys.map(({ endpoint }) => endpoint), keys.map(({ key }) => key)];
  await session.rows(lockKeysSql, values);
  return session.rows<KeyRow>(keysSql, values);
}

/** Writes all rows with one statement. */
async function record(
  session: Session,
  { deliveries, runs }: { deliveries: readonly NewDelivery[]; runs: readonly NewRun[] },
  p: { counted: (counts: number) => void },
): Promise<void> {
  const portions = divide(deliveries);
  const last = portions.pop() ?? [];
  const slots = await assignKeySlots(session, runs);
  for (const portion of portions) await insertParts(session, [toInsertDeliveries(portion)]);
  await insertParts(session, [
    toInsertDeliveries(last),
    toInsertCounts(deliveries, p),
    ...toInsertRuns(session, runs, slots),
  ]);
}

function toInsertDeliveries(deliveries: readonly NewDelivery[]): InsertPart | null {
  const rows = deliveries.map((one) => ({
    ...one,
    verdicts: toStoredVerdicts(one),
    decided: decidedLines(one.verdicts),
  }));
  return toInsert(delivery, rows);
}

/** Appends one row with all counts, because senders wait for it. The counters are updated later; see fold-traffic.ts. */
function toInsertCounts(
  deliveries: readonly NewDelivery[],
  p: { counted: (counts: number) => void },
): InsertPart | null {
  if (deliveries.length === 0) return null;
  const counts = createTrafficCounts();
  for (const one of deliveries) counts.add(one);
  p.counted(counts.size());
  return toInsert(trafficLog, [{ counts: counts.toText() }]);
}

const newestKeySql =
  "ON CONFLICT (endpoint, key) DO UPDATE SET delivery_id = excluded.delivery_id, body_sha256 = excluded.body_sha256, accepted_at = excluded.accepted_at";

async function rememberKeys(session: Session, rows: readonly KeyRow[]): Promise<void> {
  await insertRows(session, idempotencyKey, rows, { conflict: newestKeySql });
}

async function listFirstRuns({ db }: Session, deliveryIds: readonly string[]): Promise<Map<string, AcceptedRun[]>> {
  if (deliveryIds.length === 0) return new Map();
  const rows = await db
    .select({
      deliveryId: run.deliveryId,
      id: run.id,
      trigger: run.trigger,
      attachmentId: run.attachmentId,
      kind: run.targetKind,
      slug: run.targetSlug,
    })
    .from(run)
    .where(and(inArray(run.deliveryId, [...new Set(deliveryIds)]), isNull(run.replayOf), isNotNull(run.attachmentId)))
    .orderBy(asc(run.attachmentId), asc(run.id));
  return new Map(
    [...Map.groupBy(rows, ({ deliveryId }) => deliveryId ?? "")].map(([id, started]) => [id, toFirstRuns(started)]),
  );
}
