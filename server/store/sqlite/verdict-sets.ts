import { type SQL, sql } from "drizzle-orm";
import type { VerdictList } from "../../contract/delivery.ts";
import type { DeliveryFilter } from "../../ports/store/delivery-store.ts";
import { decidedLine } from "../shared/decided-lines.ts";
import {
  readStoredVerdicts,
  type SharedVerdicts,
  type StoredVerdicts,
  unpackSharedVerdicts,
} from "../shared/stored-verdicts.ts";
import type { Connection } from "./open-connection.ts";
import { delivery } from "./schema.ts";

/** Reads the verdicts of deliveries. Those of earlier versions can refer to shared lists, in `verdict_set`. */
export interface VerdictReader {
  read(stored: StoredVerdicts): VerdictList;
  readShared(id: number): SharedVerdicts;
}

/** Some ten megabytes. */
const maxCached = 50_000;

/** Shared lists never change, and ids never come again. */
export function createVerdictReader(connection: Connection): VerdictReader {
  const select = connection.prepare<unknown[], Buffer>("SELECT verdicts FROM verdict_set WHERE id = ?").pluck();
  const cache = new Map<number, SharedVerdicts>();
  let cached = 0;

  function readShared(id: number): SharedVerdicts {
    const known = cache.get(id);
    if (known) return known;
    const bytes = select.get(id);
    if (!bytes) throw new Error(`The store has lost the verdicts ${id}, which its deliveries refer to.`);
    const verdicts = unpackSharedVerdicts(bytes);
    if (cached > maxCached) {
      cache.clear();
      cached = 0;
    }
    cache.set(id, verdicts);
    cached += verdicts.length;
    return verdicts;
  }

  return { read: (stored) => readStoredVerdicts(stored, readShared), readShared };
}

/** Whether a delivery lists such a verdict, in its row or in a shared list. */
export function hasVerdict({ trigger, outcomes }: NonNullable<DeliveryFilter["verdict"]>): SQL {
  const { verdicts } = delivery;
  const own = sql`EXISTS (SELECT 1 FROM json_each(${verdicts}) v WHERE v.value ->> 'trigger' = ${trigger}
    AND v.value ->> 'outcome' IN (SELECT value FROM json_each(${JSON.stringify(outcomes)})))`;
  const [first, ...others] = outcomes.map(
    (outcome) => sql`instr(s.decided, ${`\n${decidedLine(trigger, outcome)}\n`}) > 0`,
  );
  if (!first) return own;
  // The column verdict_set stands behind the body.
  const set = sql`CASE WHEN substr(${verdicts}, 1, 8) = '[{"set":' THEN ${verdicts} ->> '$[0].set' END`;
  // The delivery's own verdicts replace those of the shared list.
  const isCommon = sql`NOT EXISTS (SELECT 1 FROM json_each(${verdicts}) v WHERE v.value ->> 'trigger' = ${trigger})`;
  return sql`(${own} OR EXISTS (SELECT 1 FROM verdict_set s WHERE s.id = ${set} AND (${sql.join([first, ...others], sql` OR `)}) AND ${isCommon}))`;
}

/** Counts that are not folded yet refer to shared lists as well. */
export const removeUnusedSql = `
  DELETE FROM verdict_set WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.verdict_set = verdict_set.id)
    AND NOT EXISTS (SELECT 1 FROM traffic_log WHERE instr(counts, ' set ' || verdict_set.id || ' ') > 0)`;
