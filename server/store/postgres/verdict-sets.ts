import { type SQL, sql } from "drizzle-orm";
import type { VerdictList } from "../../contract/delivery.ts";
import type { DeliveryFilter } from "../../ports/store/delivery-store.ts";
import { decidedLine } from "../shared/decided-lines.ts";
import {
  readStoredVerdicts,
  sharedListOf,
  type SharedVerdicts,
  type StoredVerdicts,
  unpackSharedVerdicts,
} from "../shared/stored-verdicts.ts";
import { delivery } from "./schema.ts";
import type { Session } from "./session.ts";

/** Reads the verdicts of deliveries. Those of earlier versions can refer to shared lists, in `verdict_set`. */
export interface VerdictReader {
  read(session: Session, all: readonly StoredVerdicts[]): Promise<VerdictList[]>;
  readShared(session: Session, ids: readonly number[]): Promise<(id: number) => SharedVerdicts>;
}

/** Some ten megabytes. */
const maxCached = 50_000;

/** Shared lists never change, and ids never come again. */
export function createVerdictReader(): VerdictReader {
  let cache = new Map<number, SharedVerdicts>();
  let cached = 0;

  async function readShared(session: Session, ids: readonly number[]): Promise<(id: number) => SharedVerdicts> {
    const asked = new Map([...new Set(ids)].map((id) => [id, cache.get(id)] as const));
    const missing = [...asked].flatMap(([id, verdicts]) => (verdicts ? [] : [id]));
    if (missing.length > 0) {
      for (const row of await session.rows<{ id: number; verdicts: Buffer }>(
        "SELECT id, verdicts FROM verdict_set WHERE id = ANY($1::bigint[])",
        [missing],
      )) {
        const verdicts = unpackSharedVerdicts(row.verdicts);
        if (cached > maxCached) [cache, cached] = [new Map(), 0];
        cache.set(row.id, verdicts);
        asked.set(row.id, verdicts);
        cached += verdicts.length;
      }
    }
    return (id) => {
      const verdicts = asked.get(id);
      if (!verdicts) throw new Error(`The store has lost the verdicts ${id}, which its deliveries refer to.`);
      return verdicts;
    };
  }

  return {
    async read(session, all) {
      const shared = await readShared(
        session,
        all.flatMap((stored) => sharedListOf(stored) ?? []),
      );
      return all.map((stored) => readStoredVerdicts(stored, shared));
    },
    readShared,
  };
}

/** Whether a delivery lists such a verdict, in its row or in a shared list. */
export function hasVerdict({ trigger, outcomes }: NonNullable<DeliveryFilter["verdict"]>): SQL {
  const { decided, verdictSet } = delivery;
  const says = (column: SQL) =>
    sql.join(
      outcomes.map((outcome) => sql`position(${`\n${decidedLine(trigger, outcome)}\n`} in ${column}) > 0`),
      sql` OR `,
    );
  if (outcomes.length === 0) return sql`FALSE`;
  // The delivery's own verdicts replace those of the shared list.
  const isCommon = sql`position(${`\n[${JSON.stringify(trigger)},`} in ${decided}) = 0`;
  return sql`((${says(sql`${decided}`)}) OR (${isCommon} AND EXISTS (SELECT 1 FROM verdict_set s WHERE s.id = ${verdictSet} AND (${says(sql`s.decided`)}))))`;
}

/** Counts that are not folded yet refer to shared lists as well. */
export function removeUnusedVerdicts(session: Session): Promise<number> {
  return session.change(
    `DELETE FROM verdict_set s WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.verdict_set = s.id)
       AND NOT EXISTS (SELECT 1 FROM traffic_log WHERE position(' set ' || s.id || ' ' in counts) > 0)`,
  );
}
