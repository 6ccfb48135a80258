import { runStatusCodes, startedByCodes, targetKindCodes } from "../../domain/stored-codes.ts";
import type { NewDelivery } from "../../ports/store/delivery-store.ts";
import type { NewRun } from "../../ports/store/run-store.ts";
import { tokensAtStart } from "../shared/tokens-at-start.ts";
import type { SqliteDatabase } from "./database.ts";
import { packedUuid } from "../shared/packed-text.ts";
import type { QueueCapacity } from "./queue-capacity.ts";
import { missingReference } from "./store-error.ts";
import { deliveryId, runId, sameAsBody, workerId } from "./stored-forms.ts";
import { implied } from "./timeline.ts";

/** `accepted` is the delivery that the same transaction records. */
export type InsertRun = (newRun: NewRun, accepted?: { seq: number; delivery: NewDelivery }) => void;

const insertSql = `
  INSERT INTO run (id, status, trigger, attachment, target_kind, target_slug, target, delivery, started_by, replay_of, key,
    version, attempt, max_attempts, created_at, started_at, available_at, token, worker_id, lease_until, implied_entries,
    tokens, payload, input)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Records a run: queued, or running if it is assigned. */
export function prepareInsertRun(
  { connection, names, changed }: SqliteDatabase,
  { capacity }: { capacity: QueueCapacity },
): InsertRun {
  const insert = connection.prepare(insertSql);
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
    const target = `${kind}:${slug}`;
    const { assignment } = newRun;
    const payload = newRun.payload === null ? null : (assignment?.payloadText ?? JSON.stringify(newRun.payload));
    insert.run(
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
      names.idOf(newRun.version),
      assignment ? 1 : 0,
      newRun.maxAttempts,
      newRun.createdAt,
      assignment ? newRun.createdAt : null,
      newRun.createdAt,
      assignment ? packedUuid.pack(assignment.token) : null,
      assignment ? workerId.pack(assignment.workerId) : null,
      assignment ? assignment.leaseUntil : null,
      assignment ? implied.queued | implied.started : implied.queued,
      tokensAtStart(kind),
      isBody(payload, newRun.deliveryId === accepted?.delivery.id ? accepted?.delivery.body : null)
        ? sameAsBody
        : payload,
      newRun.input === null ? null : JSON.stringify(newRun.input),
    );
    if (!assignment) capacity.added(target);
    changed();
  };
}

/** True if the payload equals the body byte for byte. Most senders send compact JSON, and many schemas change nothing. */
function isBody(payload: string | null, body: Uint8Array | null | undefined): boolean {
  if (payload === null || !body || body.length !== Buffer.byteLength(payload)) return false;
  return Buffer.from(payload).equals(body);
}
