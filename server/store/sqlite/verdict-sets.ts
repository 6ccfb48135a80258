import { type SQL, sql } from "drizzle-orm";
import { type CommonVerdicts, isFolded, listVerdicts, type Verdicts } from "../../domain/deliveries/verdict-list.ts";
import type { Verdict } from "../../contract/delivery.ts";
import type { DeliveryFilter } from "../../ports/store/delivery-store.ts";
import { decidedLine } from "../shared/decided-lines.ts";
import { packVerdicts, unpackVerdicts } from "../shared/packed-verdicts.ts";
import { readStored, storeFolded, type StoredVerdicts } from "../shared/stored-verdicts.ts";
import type { Connection } from "./open-connection.ts";
import { delivery } from "./schema.ts";

/** Verdicts that deliveries have in common, each list kept once. */
export interface VerdictSets {
  /**
   * A write transaction begins: nothing is known of what one before wrote, which may have been undone, nor of what
   * others removed.
   */
  begin(): void;
  /**
   * Inside a write transaction: what a delivery keeps, and the set that it refers to. A set that is not there yet is
   * written.
   */
  store(verdicts: Verdicts): { verdicts: StoredVerdicts; verdictSet: number | null };
  /** Of sets that were committed. */
  read(set: number): CommonVerdicts;
  list(stored: StoredVerdicts): Verdict[];
}

/** Some ten megabytes. */
const mostVerdictsRead = 50_000;

export function createVerdictSets(connection: Connection): VerdictSets {
  const put = preparePut(connection);
  const read = prepareRead(connection);
  return {
    begin: put.begin,
    store(verdicts) {
      if (!isFolded(verdicts)) return { verdicts, verdictSet: null };
      const verdictSet = put.put(verdicts.common);
      return { verdicts: storeFolded(verdicts, verdictSet), verdictSet };
    },
    read,
    list: (stored) => listVerdicts(readStored(stored, read)),
  };
}

/** The same list is the same object mostly: where it stands is remembered, and looked at once in each transaction. */
function preparePut(connection: Connection): { begin: () => void; put: (common: CommonVerdicts) => number } {
  const hashOf = connection.prepare<unknown[], string>("SELECT hash FROM verdict_set WHERE id = ?").pluck();
  const find = connection.prepare<unknown[], number>("SELECT id FROM verdict_set WHERE hash = ?").pluck();
  const insert = connection.prepare("INSERT INTO verdict_set (hash, decided, verdicts) VALUES (?, ?, ?)");
  const known = new WeakMap<CommonVerdicts, { id: number; hash: string }>();
  const seen = new Map<CommonVerdicts, number>();

  function write(common: CommonVerdicts): { id: number; hash: string } {
    const { hash, decided, verdicts } = packVerdicts(common);
    const id = find.get(hash) ?? Number(insert.run(hash, decided, verdicts()).lastInsertRowid);
    return { id, hash };
  }

  return {
    begin: () => seen.clear(),
    put(common) {
      const there = seen.get(common);
      if (there !== undefined) return there;
      const before = known.get(common);
      // An id that was undone may have become another set's.
      const set = before && hashOf.get(before.id) === before.hash ? before : write(common);
      known.set(common, set);
      seen.set(common, set.id);
      return set.id;
    },
  };
}

/** Sets never change, and ids never come again. */
function prepareRead(connection: Connection): (set: number) => CommonVerdicts {
  const select = connection.prepare<unknown[], Buffer>("SELECT verdicts FROM verdict_set WHERE id = ?").pluck();
  const read = new Map<number, CommonVerdicts>();
  let verdicts = 0;
  return (set) => {
    const known = read.get(set);
    if (known) return known;
    const bytes = select.get(set);
    if (!bytes) throw new Error(`The store has lost the verdicts ${set}, which its deliveries refer to.`);
    const common = unpackVerdicts(bytes);
    if (verdicts > mostVerdictsRead) {
      read.clear();
      verdicts = 0;
    }
    read.set(set, common);
    verdicts += common.length;
    return common;
  };
}

/** Whether a delivery has such a verdict: of its own, or in common with others. */
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
  // Where a trigger is among those of its own, what the set says of it does not hold.
  const isCommon = sql`NOT EXISTS (SELECT 1 FROM json_each(${verdicts}) v WHERE v.value ->> 'trigger' = ${trigger})`;
  return sql`(${own} OR EXISTS (SELECT 1 FROM verdict_set s WHERE s.id = ${set} AND (${sql.join([first, ...others], sql` OR `)}) AND ${isCommon}))`;
}

/** Counts that are not folded yet refer to sets as well. */
export const removeUnusedSql = `
  DELETE FROM verdict_set WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.verdict_set = verdict_set.id)
    AND NOT EXISTS (SELECT 1 FROM traffic_log WHERE instr(counts, ' set ' || verdict_set.id || ' ') > 0)`;
