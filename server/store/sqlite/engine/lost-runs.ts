import { runStatusCodes } from "../../../domain/stored-codes.ts";
import type { EngineStore } from "../../../ports/store/engine-store.ts";
import type { SqliteDatabase } from "../database.ts";
import type { EndHold, Held } from "./end-hold.ts";
import { prepareClearLive } from "./live.ts";
import type { Packed } from "../../../domain/ids.ts";
import { isOpenSql, runId, workerId } from "../stored-forms.ts";
import type { AddEntry } from "../runs/timeline.ts";

type Release = Parameters<EngineStore["releaseLostRuns"]>[0];

const isRunning = `status = ${runStatusCodes.running}`;
const heldColumns = "seq, attempt, cancel_requested_at AS cancelRequestedAt, target, key_slot AS keySlot";

/** Releases the runs of an ended worker process by the fates that its supervisor decided. */
export function prepareReleaseLostRuns(
  { connection }: SqliteDatabase,
  p: { addEntry: AddEntry; endHold: EndHold },
): (release: Release) => void {
  const clearLive = prepareClearLive(connection);
  const find = connection.prepare<unknown[], Held>(
    `SELECT ${heldColumns} FROM run WHERE id = ? AND worker_id = ? AND ${isRunning}`,
  );
  const countCrash = connection.prepare(
    "UPDATE run SET crashes = crashes + 1, is_isolated = max(is_isolated, ?) WHERE seq = ?",
  );
  return ({ workerId: lostWorker, now, message, runs }) => {
    for (const { id, fate } of runs) {
      const held = find.get(runId.pack(id), workerId.pack(lostWorker));
      if (!held) continue;
      const { seq } = held;
      p.addEntry(seq, { at: now, kind: "worker_lost", attempt: held.attempt, message });
      if (fate.kind !== "resume") countCrash.run(fate.kind === "isolate" ? 1 : 0, seq);
      clearLive(seq);
      if (fate.kind === "fail") p.endHold(held, { transition: fate.transition, now, entries: fate.entries });
      else p.endHold(held, { transition: { to: "queued" }, now });
    }
  };
}

/** Reads all running runs, which are few. */
export const expiredRunsSql = `
  SELECT ${heldColumns}, id FROM run INDEXED BY run_open WHERE ${isOpenSql} AND ${isRunning} AND lease_until <= ?`;

/** Runs whose lease expired; see `reconcile` of the port. */
export function prepareReconcile(
  { connection }: SqliteDatabase,
  p: { addEntry: AddEntry; endHold: EndHold },
): {
  hasExpired(now: number, spare: ReadonlySet<string>): boolean;
  reconcile(now: number, spare: ReadonlySet<string>): number;
} {
  const clearLive = prepareClearLive(connection);
  const select = connection.prepare<unknown[], Held & { id: Packed }>(expiredRunsSql);
  const expired = (now: number, spare: ReadonlySet<string>) =>
    select.all(now).filter(({ id }) => !spare.has(runId.unpack(id)));
  return {
    hasExpired: (now, spare) => expired(now, spare).length > 0,
    reconcile(now, spare) {
      const rows = expired(now, spare);
      for (const held of rows) {
        p.addEntry(held.seq, {
          at: now,
          kind: "worker_lost",
          attempt: held.attempt,
          message: "The lease of its worker expired: the worker stopped responding.",
        });
        clearLive(held.seq);
        p.endHold(held, { transition: { to: "queued" }, now });
      }
      return rows.length;
    },
  };
}
