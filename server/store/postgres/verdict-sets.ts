import { type SQL, sql } from "drizzle-orm";
import {
  type CommonVerdicts,
  isFolded,
  listVerdicts,
  ownVerdicts,
  type Verdicts,
} from "../../domain/deliveries/verdict-list.ts";
import type { Verdict } from "../../contract/delivery.ts";
import type { DeliveryFilter } from "../../ports/store/delivery-store.ts";
import { decidedLine, decidedLines } from "../shared/decided-lines.ts";
import { packVerdicts, type PackedVerdicts, unpackVerdicts } from "../shared/packed-verdicts.ts";
import { readStored, setOf, storeFolded, type StoredVerdicts } from "../shared/stored-verdicts.ts";
import { delivery } from "./schema.ts";
import type { Session } from "./session.ts";

/** What a delivery keeps of its verdicts. */
interface Kept {
  verdicts: StoredVerdicts;
  decided: string;
  verdictSet: number | null;
}

/** Verdicts that deliveries have in common, each list kept once. */
export interface VerdictSets {
  /**
   * Inside a transaction: writes the sets that are not there yet, and gives what each delivery keeps. They cannot be
   * removed before its end.
   */
  store(session: Session, all: readonly Verdicts[]): Promise<Kept[]>;
  /** Of sets that were committed. */
  read(session: Session, sets: readonly number[]): Promise<(set: number) => CommonVerdicts>;
  list(session: Session, all: readonly StoredVerdicts[]): Promise<Verdict[][]>;
}

/** Some ten megabytes. */
const mostVerdictsRead = 50_000;

export function createVerdictSets(): VerdictSets {
  const packed = new WeakMap<CommonVerdicts, PackedVerdicts>();
  const read = createRead();

  function pack(common: CommonVerdicts): PackedVerdicts {
    const known = packed.get(common) ?? packVerdicts(common);
    packed.set(common, known);
    return known;
  }

  return {
    async store(session, all) {
      const folded = all.filter(isFolded);
      const ids =
        folded.length === 0
          ? new Map<string, number>()
          : await putSets(session, new Map(folded.map(({ common }) => pack(common)).map((one) => [one.hash, one])));
      return all.map((verdicts): Kept => {
        const decided = decidedLines(ownVerdicts(verdicts));
        if (!isFolded(verdicts)) return { verdicts, decided, verdictSet: null };
        const verdictSet = ids.get(pack(verdicts.common).hash);
        if (verdictSet === undefined) throw new Error("A list of verdicts was removed while it was written.");
        return { verdicts: storeFolded(verdicts, verdictSet), decided, verdictSet };
      });
    },
    read,
    async list(session, all) {
      const readSet = await read(
        session,
        all.flatMap((stored) => setOf(stored) ?? []),
      );
      return all.map((stored) => listVerdicts(readStored(stored, readSet)));
    },
  };
}

/**
 * Ids by hash. Whoever removes sets takes their rows FOR UPDATE, which waits for this lock, or makes this wait and find
 * nothing.
 */
async function putSets(session: Session, sets: ReadonlyMap<string, PackedVerdicts>): Promise<Map<string, number>> {
  const hashes = [...sets.keys()].sort();
  const find = async () =>
    new Map(
      (
        await session.rows<{ id: number; hash: string }>(
          "SELECT id, hash FROM verdict_set WHERE hash = ANY($1::text[]) ORDER BY hash FOR KEY SHARE",
          [hashes],
        )
      ).map(({ id, hash }) => [hash, id]),
    );
  const found = await find();
  const missing = hashes.filter((hash) => !found.has(hash));
  if (missing.length === 0) return found;
  for (const hash of missing) {
    const set = sets.get(hash);
    if (set)
      await session.change(
        "INSERT INTO verdict_set (hash, decided, verdicts) VALUES ($1, $2, $3) ON CONFLICT (hash) DO NOTHING",
        [hash, set.decided, set.verdicts()],
      );
  }
  return find();
}

/** Sets never change, and ids never come again. */
function createRead(): VerdictSets["read"] {
  let known = new Map<number, CommonVerdicts>();
  let verdicts = 0;
  return async (session, sets) => {
    const asked = new Map([...new Set(sets)].flatMap((set) => [[set, known.get(set)] as const]));
    const missing = [...asked].flatMap(([set, common]) => (common ? [] : [set]));
    if (missing.length > 0) {
      for (const row of await session.rows<{ id: number; verdicts: Buffer }>(
        "SELECT id, verdicts FROM verdict_set WHERE id = ANY($1::bigint[])",
        [missing],
      )) {
        const common = unpackVerdicts(row.verdicts);
        if (verdicts > mostVerdictsRead) [known, verdicts] = [new Map(), 0];
        known.set(row.id, common);
        asked.set(row.id, common);
        verdicts += common.length;
      }
    }
    return (set) => {
      const common = asked.get(set);
      if (!common) throw new Error(`The store has lost the verdicts ${set}, which its deliveries refer to.`);
      return common;
    };
  };
}

/** Whether a delivery has such a verdict: of its own, or in common with others. */
export function hasVerdict({ trigger, outcomes }: NonNullable<DeliveryFilter["verdict"]>): SQL {
  const { decided, verdictSet } = delivery;
  const says = (column: SQL) =>
    sql.join(
      outcomes.map((outcome) => sql`position(${`\n${decidedLine(trigger, outcome)}\n`} in ${column}) > 0`),
      sql` OR `,
    );
  if (outcomes.length === 0) return sql`FALSE`;
  // Where a trigger is among those of its own, what the set says of it does not hold.
  const isCommon = sql`position(${`\n[${JSON.stringify(trigger)},`} in ${decided}) = 0`;
  return sql`((${says(sql`${decided}`)}) OR (${isCommon} AND EXISTS (SELECT 1 FROM verdict_set s WHERE s.id = ${verdictSet} AND (${says(sql`s.decided`)}))))`;
}

/**
 * In two steps: what becomes of a set is decided when nobody can refer to it any more. Counts that are not folded yet
 * refer to sets as well.
 */
export async function removeUnusedVerdicts(session: Session): Promise<number> {
  const unused = `NOT EXISTS (SELECT 1 FROM delivery d WHERE d.verdict_set = s.id) AND NOT EXISTS (SELECT 1 FROM traffic_log WHERE position(' set ' || s.id || ' ' in counts) > 0)`;
  const locked = await session.rows<{ id: number }>(
    `SELECT id FROM verdict_set s WHERE ${unused} FOR UPDATE SKIP LOCKED`,
  );
  if (locked.length === 0) return 0;
  return session.change(`DELETE FROM verdict_set s WHERE id = ANY($1::bigint[]) AND ${unused}`, [
    locked.map(({ id }) => id),
  ]);
}
