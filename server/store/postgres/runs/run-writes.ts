import type { RunWrites } from "../../core/store-database.ts";
import { resultOf } from "../../shared/operation.ts";
import type { Session } from "../connection/session.ts";
import { changeSlots, type LeftSlot, lockRunKeys } from "../queue/key-slots.ts";
import type { AcceptAnswer, AcceptJob } from "../deliveries/accept-deliveries.ts";
import { addEntries } from "./timeline.ts";

export interface RunParts {
  /** As AcceptOperation, in a transaction of the caller. */
  acceptIn: (session: Session, job: AcceptJob) => Promise<AcceptAnswer | undefined>;
}

const placedSql =
  'SELECT id, target, run_key AS key, key_slot AS "from" FROM signalbox.run WHERE id = $1 AND key_slot IS NOT NULL';

async function changeSlotOf(session: Session, p: Pick<LeftSlot, "id" | "to" | "now">): Promise<void> {
  const placed = await session.rows<Omit<LeftSlot, "to" | "now">>(placedSql, [p.id]);
  await changeSlots(
    session,
    placed.map((one) => ({ ...one, ...p })),
  );
}

/** The caller has locked the rows of the runs. */
export function createRunWrites(session: Session, { acceptIn }: RunParts): RunWrites {
  return {
    *insertRuns(runs) {
      const answer = yield* resultOf(acceptIn(session, { delivery: null, runs, idempotency: null }));
      return answer?.result.kind === "full" ? answer.result.queue : null;
    },
    addEntry: (key, entry) => resultOf(addEntries(session, [{ runId: String(key), entry }])),
    lockKey: (key) => resultOf(lockRunKeys(session, [key])),
    changeSlot: (id, to, now) => resultOf(changeSlotOf(session, { id: String(id), to, now })),
    notifyHosts() {
      session.concernsHosts = true;
    },
  };
}
