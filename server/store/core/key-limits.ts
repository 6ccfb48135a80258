import { and, asc, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import { arrangeKey, notDueAt, type RunKey } from "../../domain/runs/key-slots.ts";
import type { CurrentLimits } from "../../domain/runs/run-limits.ts";
import type { EngineStore } from "../../ports/store/engine-store.ts";
import { isEnded } from "../../shared/runs/run-state.ts";
import type { Operation } from "../shared/operation.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";

export type KeyLimits = Pick<EngineStore, "applyLimits">;

const keysAtOnce = 50;

export function createKeyLimits({ tables, forms, read, write }: StoreDatabase, limits: CurrentLimits): KeyLimits {
  const { run } = tables;
  const { status, attempt, keySlot, keyOrder, failureOf, createdAt } = run;
  const columns = { row: run.key, status, attempt, keySlot, keyOrder, failureOf, createdAt };
  const hasNoSlot = (target: string[]) =>
    and(forms.isOpen, inArray(run.target, target), isNotNull(run.runKey), isNull(keySlot), isNull(failureOf));

  /** Keys whose runs have slots, and keys of open runs whose target has had no limit. */
  const listKeys = (targets: string[]) =>
    read(function* ({ db, rows }): Operation<RunKey[]> {
      const key = { target: run.target, key: run.runKey };
      const withSlot = yield* rows(db.selectDistinct(key).from(forms.runsBy("run_by_slot")).where(isNotNull(keySlot)));
      const others = db.selectDistinct(key).from(forms.runsBy("run_open")).where(hasNoSlot(targets));
      const found = targets.length === 0 ? withSlot : [...withSlot, ...(yield* rows(others))];
      const keys = found.flatMap(({ target, key: name }) => (name ? [{ target, key: name }] : []));
      return [...new Map(keys.map((one) => [JSON.stringify(one), one])).values()];
    });

  /** The runs that have a slot or may get one, in the order in which they were accepted. */
  function* readKey(session: StoreSession, { target, key }: RunKey, select: StoreSession["rows"]) {
    const { db } = session;
    const ofKey = and(eq(run.runKey, key), eq(run.target, target));
    const withSlot = db
      .select(columns)
      .from(forms.runsBy("run_by_slot"))
      .where(and(ofKey, isNotNull(keySlot)));
    const others = db
      .select(columns)
      .from(forms.runsBy("run_by_run_key"))
      .where(and(ofKey, hasNoSlot([target])));
    const isLimited = typeof limits.current.get(target)?.perKey === "number";
    const runs = [
      ...(yield* select(withSlot.orderBy(asc(run.key)))),
      ...(isLimited ? yield* select(others.orderBy(asc(run.key))) : []),
    ];
    return runs.sort((one, other) => one.createdAt - other.createdAt || (one.row < other.row ? -1 : 1));
  }

  /** The runs whose slot changes. */
  function* planKey(session: StoreSession, key: RunKey, now: number) {
    const runs = yield* readKey(session, key, session.rows);
    return arrangeKey(runs, limits.current.get(key.target)).flatMap((slot, at) => {
      const old = runs[at];
      if (!old || (old.keySlot === slot.keySlot && old.keyOrder === slot.keyOrder)) return [];
      const isDue = old.keySlot === "waiting" && slot.keySlot !== "waiting" && !isEnded(old.status);
      const availableAt = slot.keySlot === "waiting" ? notDueAt : isDue ? now : undefined;
      return [{ old, change: { ...slot, ...(availableAt !== undefined && { availableAt }) }, isDue }];
    });
  }

  /**
   * Rows that can have a slot are locked before their key, as by the end of a run. `false`: another run has got a slot
   * meanwhile.
   */
  function* arrange(session: StoreSession, key: RunKey, now: number): Operation<boolean> {
    const locked = new Set((yield* readKey(session, key, session.lockedRows)).map(({ row }) => row));
    yield* session.lockKey(key);
    const planned = yield* planKey(session, key, now);
    if (planned.some(({ old }) => old.keySlot !== "waiting" && !locked.has(old.row))) return false;
    for (const { old, change, isDue } of planned) {
      yield* session.run(session.db.update(run).set(change).where(eq(run.key, old.row)));
      session.changed("runs");
      if (isDue) session.notifyHosts();
    }
    return true;
  }

  async function apply(key: RunKey, now: number): Promise<void> {
    const planned = await read((session) => planKey(session, key, now));
    if (planned.length === 0) return;
    while (!(await write((session) => arrange(session, key, now))));
  }

  return {
    async applyLimits({ limits: given, now }) {
      limits.current = given;
      const targets = [...given].flatMap(([target, { perKey }]) => (perKey === null ? [] : [target]));
      const keys = await listKeys(targets);
      for (let from = 0; from < keys.length; from += keysAtOnce)
        await Promise.all(keys.slice(from, from + keysAtOnce).map((key) => apply(key, now)));
    },
  };
}
