import { targetName } from "../../../contract/project/target.ts";
import { notDueAt } from "../../../domain/runs/key-slots.ts";
import type { QueueFull } from "../../../ports/store/run-store.ts";
import { queueBoundsOf, type QueuedRun } from "../../shared/run-rules.ts";
import type { Session } from "../connection/session.ts";

/** Checks `maxQueued` in one transaction. */
export interface QueueRoom {
  /** Takes the places of all of them or of none. Returns the full queue; `null`: all fit. */
  take(runs: readonly QueuedRun[]): QueueFull | null;
}

const countQueuedSql = `
  SELECT t.target, (SELECT count(*) FROM (SELECT 1 FROM signalbox.run WHERE status = 'queued' AND run.target = t.target AND available_at < ${notDueAt} LIMIT t.up_to) AS queued) AS queued
  FROM unnest($1::text[], $2::bigint[]) AS t (target, up_to)`;

/**
 * Locks the queues, in one order for all processes. Until the end of the transaction, no other transaction adds runs
 * with a limit to them.
 */
export async function lockRoom(session: Session, runs: readonly QueuedRun[]): Promise<QueueRoom> {
  const upTo = new Map<string, number>();
  for (const { target, maxQueued } of runs)
    if (typeof maxQueued === "number")
      upTo.set(targetName(target), Math.max(maxQueued, upTo.get(targetName(target)) ?? 0));
  if (upTo.size === 0) return createRoom(new Map());
  const targets = [...upTo.keys()].sort();
  await session.rows(
    "SELECT pg_advisory_xact_lock(hashtextextended('signalbox queue ' || target, 0)) FROM unnest($1::text[]) AS target",
    [targets],
  );
  const rows = await session.rows<{ target: string; queued: number }>(countQueuedSql, [
    targets,
    targets.map((target) => upTo.get(target)),
  ]);
  return createRoom(new Map(rows.map(({ target, queued }) => [target, queued])));
}

/** `queued`: the queued runs of targets with a limit. Other targets are not counted. */
function createRoom(queued: Map<string, number>): QueueRoom {
  return {
    take(runs) {
      for (const [name, queue] of queueBoundsOf(runs))
        if ((queued.get(name) ?? 0) + queue.adds > queue.maxQueued) return queue;
      for (const { target, assignment } of runs)
        if (!assignment) queued.set(targetName(target), (queued.get(targetName(target)) ?? 0) + 1);
      return null;
    },
  };
}
