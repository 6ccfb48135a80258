import { targetName } from "../../../contract/project/target.ts";
import { childLinkCodes, type ChildPlace } from "../../../domain/runs/child-runs.ts";
import { keySlotCodes, notDueAt } from "../../../domain/runs/key-slots.ts";
import { runStatusCodes, startedByCodes, targetKindCodes } from "../../../domain/stored-codes.ts";
import type { NewDelivery } from "../../../ports/store/delivery-store.ts";
import type { NewRun } from "../../../ports/store/new-run.ts";
import type { QueueFull } from "../../../ports/store/run-store.ts";
import { packedUuid } from "../../../domain/ids.ts";
import { queueBoundsOf, type QueuedRun, tokensAtStart } from "../../shared/run-rules.ts";
import type { SqliteDatabase } from "../database.ts";
import { missingReference } from "../store-error.ts";
import { deliveryId, isOpenSql, runId, sameAsBody, workerId } from "../stored-forms.ts";
import type { KeySlots } from "./key-slots.ts";
import { implied } from "./timeline.ts";

/** `accepted` is the delivery that the same transaction records or releases. Without its body, the payload is stored. */
export type InsertRun = (
  newRun: NewRun,
  accepted?: { seq: number; delivery: Pick<NewDelivery, "id" | "body"> },
) => void;

/** Most runs have none of the columns `more`. */
const insertSql = (more: readonly string[]) => `
  INSERT INTO run (id, status, trigger, attachment, target_kind, target_slug, target, delivery, started_by, replay_of, key,
    run_key, version, attempt, max_attempts, created_at, started_at, available_at, token, worker_id, lease_until,
    implied_entries, tokens, payload, input${more.map((column) => `, ${column}`).join("")})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?${more.map(() => ", ?").join("")})`;

/** Records a run: queued, or running if it is assigned. */
export function prepareInsertRun(
  { connection, names, changed }: SqliteDatabase,
  { capacity, keySlots }: { capacity: QueueCapacity; keySlots: KeySlots },
): InsertRun {
  const insert = connection.prepare(insertSql([]));
  const insertOnFailure = connection.prepare(insertSql(["failure_of"]));
  const insertWithSlot = connection.prepare(insertSql(["key_slot", "key_order"]));
  const insertChild = connection.prepare(
    insertSql(["key_slot", "key_order", "child_of", "child_step", "child_link", "depth"]),
  );
  const findDelivery = connection.prepare<unknown[], number>("SELECT seq FROM delivery WHERE id = ?").pluck();
  const idOf = (name: string | null) => (name === null ? null : names.idOf(name));

  function seqOfDelivery(id: string | null, accepted: Parameters<InsertRun>[1]): number | null {
    if (id === null) return null;
    const seq = id === accepted?.delivery.id ? accepted.seq : findDelivery.get(deliveryId.pack(id));
    if (seq === undefined) throw missingReference();
    return seq;
  }

  return (newRun, accepted) => {
    const { kind, slug } = newRun.target;
    const target = targetName(newRun.target);
    const { assignment } = newRun;
    const { keySlot, keyOrder } = keySlots.slotOf(newRun);
    const payload = newRun.payload === null ? null : (assignment?.payloadText ?? JSON.stringify(newRun.payload));
    const values = [
      runId.pack(newRun.id),
      assignment ? runStatusCodes.running : runStatusCodes.queued,
      idOf(newRun.trigger),
      idOf(newRun.attachmentId),
      targetKindCodes[kind],
      names.idOf(slug),
      names.idOf(target),
      seqOfDelivery(newRun.deliveryId, accepted),
      startedByCodes[newRun.startedBy],
      newRun.replayOf === null ? null : runId.pack(newRun.replayOf),
      idOf(newRun.keyId),
      newRun.key ?? null,
      names.idOf(newRun.version),
      assignment ? 1 : 0,
      newRun.maxAttempts,
      newRun.createdAt,
      assignment ? newRun.createdAt : null,
      keySlot === "waiting" ? notDueAt : newRun.createdAt,
      assignment ? packedUuid.pack(assignment.token) : null,
      assignment ? workerId.pack(assignment.workerId) : null,
      assignment ? assignment.leaseUntil : null,
      assignment ? implied.queued | implied.started : implied.queued,
      tokensAtStart(newRun),
      isBody(payload, newRun.deliveryId === accepted?.delivery.id ? accepted?.delivery.body : null)
        ? sameAsBody
        : payload,
      newRun.input === null ? null : JSON.stringify(newRun.input),
    ];
    if (newRun.failureOf !== undefined) insertOnFailure.run(...values, runId.pack(newRun.failureOf));
    else if (newRun.child)
      insertChild.run(
        ...values,
        keySlot === null ? null : keySlotCodes[keySlot],
        keyOrder,
        ...childValues(newRun.child),
      );
    else if (keySlot !== null) insertWithSlot.run(...values, keySlotCodes[keySlot], keyOrder);
    else insert.run(...values);
    if (!assignment && keySlot !== "waiting") capacity.added(target);
    changed("runs");
  };
}

const childValues = ({ of, step, link, depth }: ChildPlace) => [runId.pack(of), step, childLinkCodes[link], depth];

/** True if the payload equals the body byte for byte. Most senders send compact JSON, and many schemas change nothing. */
function isBody(payload: string | null, body: Uint8Array | null | undefined): boolean {
  if (payload === null || !body || body.length !== Buffer.byteLength(payload)) return false;
  return Buffer.from(payload).equals(body);
}

export interface RunParts {
  insertRun: InsertRun;
  capacity: QueueCapacity;
}

/** Inserts all runs or none. Returns the full queue if there is one. */
export function insertRuns({ capacity, insertRun }: RunParts, runs: readonly NewRun[]): QueueFull | null {
  const queue = capacity.findFull(runs);
  if (queue === null) for (const newRun of runs) insertRun(newRun);
  return queue;
}

/** Checks `maxQueued` in the write transaction: no other process queues a run between the check and the insert. */
export interface QueueCapacity {
  /**
   * The first target whose queue has no capacity for its runs among these; `null` if all fit. Runs without a limit are
   * not counted.
   */
  findFull(runs: readonly QueuedRun[]): QueueFull | null;
  /** Called for every run that is queued. */
  added(target: string): void;
  /** Called at the beginning of a transaction, and for every other operation that can change queues. */
  clear(): void;
}

/** Reads at most `limit` rows of a pool. */
export const queuedOfTargetSql = `
  SELECT count(*) FROM (
    SELECT 1 FROM run INDEXED BY run_open
    WHERE ${isOpenSql} AND status = ${runStatusCodes.queued} AND is_isolated = :isolated AND target = :target AND available_at < ${notDueAt} LIMIT :limit
  )`;

/**
 * Every request of a flood checks a full queue, and a higher limit makes the count slower. A count is therefore reused
 * within the transaction, which decides hundreds of requests.
 */
export function createQueueCapacity({
  connection,
  names,
}: Pick<SqliteDatabase, "connection" | "names">): QueueCapacity {
  const countPool = connection.prepare<unknown[], number>(queuedOfTargetSql).pluck();
  /** `upTo`: the count stopped there, so there can be more. */
  let counted = new Map<string, { queued: number; upTo: number }>();

  function queuedOf(target: string, upTo: number): number {
    const known = counted.get(target);
    if (known && (known.queued < known.upTo || upTo <= known.upTo)) return known.queued;
    const id = names.find(target);
    const inPool = (isolated: number) => countPool.get({ isolated, target: id, limit: upTo }) ?? 0;
    const queued = id === null ? 0 : inPool(0) + inPool(1);
    counted.set(target, { queued, upTo });
    return queued;
  }

  return {
    findFull(runs) {
      for (const [name, { target, maxQueued, adds }] of queueBoundsOf(runs)) {
        if (queuedOf(name, maxQueued) + adds > maxQueued) return { target, maxQueued, adds };
      }
      return null;
    },
    added(target) {
      const known = counted.get(target);
      if (known) known.queued += 1;
    },
    clear() {
      if (counted.size > 0) counted = new Map();
    },
  };
}
