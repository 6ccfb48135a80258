import {
  type JoiningRun,
  joinKey,
  keyLimitOf,
  type KeySlot,
  type KeyState,
  keySlotCodes,
  noSlot,
  notDueAt,
  passesSlot,
  type RunSlot,
  takesOver,
} from "../../../domain/runs/key-slots.ts";
import type { ConcurrencyLimits } from "../../../domain/runs/run-limits.ts";
import { createDecoder } from "../../../domain/stored-codes.ts";
import type { SqliteDatabase } from "../database.ts";
import { runId } from "../stored-forms.ts";

const { taken, surplus, waiting, asleep } = keySlotCodes;

/** SQLite uses a partial index only if the query repeats its WHERE literally. */
const ofKeySql = "FROM run INDEXED BY run_by_slot WHERE key_slot IS NOT NULL AND target = @target AND run_key = @key";
/** The run that was last to wait for the key; otherwise one that has a slot. */
export const lastOfKeySql = `
  SELECT key_slot AS slot, key_order AS keyOrder ${ofKeySql} AND key_slot <= ${waiting} ORDER BY key_slot DESC, key_order DESC LIMIT 1`;
export const takenOfKeySql = `
  SELECT count(*) FROM (SELECT 1 ${ofKeySql} AND key_slot IN (${taken}, ${surplus}) LIMIT (SELECT @perKey))`;

/** Runs beyond a lowered limit come first. */
export const nextOfKeySql = `SELECT seq ${ofKeySql} AND key_slot IN (${surplus}, ${waiting}) ORDER BY key_slot, key_order LIMIT 1`;

const readSlot = createDecoder(keySlotCodes);

interface SlotRow {
  seq: number;
  target: number;
  key: string;
  slot: number;
}

export interface KeySlots {
  /** The slot of a run that is about to be queued or assigned. A replay takes over that of a run that blocks its key. */
  slotOf(run: JoiningRun): RunSlot;
  /** Changes the slot of a run. If it is freed, the next run of the key gets it. */
  change(seq: number, to: KeySlot | null, now: number): void;
  /** Assigns a slot to a run that freed its own while it slept. `false`: it must wait for one, or did not sleep. */
  wake(seq: number, limits: ConcurrencyLimits): boolean;
}

/** Every write transaction excludes all others, so a key has one state. */
export function prepareKeySlots({ connection, names, changed }: SqliteDatabase): KeySlots {
  const findLast = connection.prepare<unknown[], { slot: number; keyOrder: number | null }>(lastOfKeySql);
  const countTaken = connection.prepare<unknown[], number>(takenOfKeySql).pluck();
  const findSlot = connection.prepare<unknown[], SlotRow>(
    "SELECT seq, target, run_key AS key, key_slot AS slot FROM run WHERE seq = ? AND key_slot IS NOT NULL",
  );
  const findEnded = connection.prepare<unknown[], SlotRow>(
    "SELECT seq, target, run_key AS key, key_slot AS slot FROM run WHERE id = ? AND key_slot IS NOT NULL AND finished_at IS NOT NULL",
  );
  const findNext = connection.prepare<unknown[], number>(nextOfKeySql).pluck();
  const setSlot = connection.prepare("UPDATE run SET key_slot = @slot, key_order = @order WHERE seq = @seq");
  const setWaiting = connection.prepare(
    `UPDATE run SET key_slot = ${waiting}, key_order = @order, available_at = ${notDueAt} WHERE seq = @seq`,
  );
  /** Its time in the queue begins now, so the keys of a target take turns. */
  const giveSlot = connection.prepare(
    `UPDATE run SET key_slot = ${taken}, key_order = NULL, available_at = CASE key_slot WHEN ${waiting} THEN @now ELSE available_at END
    WHERE seq = @seq`,
  );

  function stateOf(p: { target: number; key: string; perKey: number }): KeyState {
    const last = findLast.get(p);
    if (!last) return { taken: 0, lastOrder: 0 };
    // A run waits only if all slots are taken.
    if (last.slot === waiting) return { taken: p.perKey, lastOrder: last.keyOrder ?? 0 };
    return { taken: p.perKey === 1 ? 1 : (countTaken.get(p) ?? 0), lastOrder: 0 };
  }

  const join = (p: { target: number; key: string; perKey: number }): RunSlot => joinKey(stateOf(p), p.perKey).slot;

  function slotOf(run: JoiningRun): RunSlot {
    const { replayOf = null } = run;
    const limit = keyLimitOf(run);
    const old = replayOf === null ? undefined : findEnded.get(runId.pack(replayOf));
    if (old && takesOver(limit, { target: names.textOf(old.target), key: old.key })) {
      setSlot.run({ seq: old.seq, slot: null, order: null });
      return { keySlot: readSlot(old.slot), keyOrder: null };
    }
    if (old) change(old, null, run.createdAt);
    if (!limit) return noSlot;
    if (run.assignment) return { keySlot: "taken", keyOrder: null };
    return join({ ...limit, target: names.idOf(limit.target) });
  }

  function passOn(p: { target: number; key: string; now: number }): void {
    const seq = findNext.get(p);
    if (seq !== undefined) giveSlot.run({ seq, now: p.now });
  }

  function change({ seq, target, key, slot }: SlotRow, to: KeySlot | null, now: number): void {
    setSlot.run({ seq, slot: to === null ? null : keySlotCodes[to], order: null });
    if (passesSlot(readSlot(slot), to)) passOn({ target, key, now });
    changed("runs");
  }

  return {
    slotOf,
    change(seq, to, now) {
      const row = findSlot.get(seq);
      if (row) change(row, to, now);
    },
    wake(seq, limits) {
      const row = findSlot.get(seq);
      if (row?.slot !== asleep) return false;
      const { target, key } = row;
      const perKey = limits.get(names.textOf(target))?.perKey ?? Number.MAX_SAFE_INTEGER;
      const { keySlot, keyOrder } = join({ target, key, perKey });
      if (keySlot === "taken") setSlot.run({ seq, slot: taken, order: null });
      else setWaiting.run({ seq, order: keyOrder });
      return keySlot === "taken";
    },
  };
}
