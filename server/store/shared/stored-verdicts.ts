import type { Verdict } from "../../contract/delivery.ts";
import type { CommonVerdicts, FoldedVerdicts, Verdicts } from "../../domain/deliveries/verdict-list.ts";

/** How a delivery keeps its verdicts: all of them, or, behind a note of what it has in common with others, its own. */
export type StoredVerdicts = readonly Verdict[] | readonly [SetNote, ...Verdict[]];

/** Stands first, and begins with `set`: rows that have one are told by how their text begins. */
interface SetNote {
  /** Where the common verdicts are kept. */
  set: number;
  actuals: FoldedVerdicts["actuals"];
  /** Of its own. */
  places: readonly number[];
}

export function storeFolded({ actuals, own, places }: FoldedVerdicts, set: number): StoredVerdicts {
  return [{ set, actuals, places }, ...own];
}

export function readStored(stored: StoredVerdicts, readSet: (set: number) => CommonVerdicts): Verdicts {
  if (!hasNote(stored)) return stored;
  const [{ set, actuals, places }, ...own] = stored;
  return { common: readSet(set), actuals, own, places };
}

/** Those that the delivery has itself. */
export function ownStored(stored: StoredVerdicts): readonly Verdict[] {
  if (!hasNote(stored)) return stored;
  const [, ...own] = stored;
  return own;
}

/** The set that it refers to; `null`: it has all of them itself. */
export function setOf(stored: StoredVerdicts): number | null {
  return hasNote(stored) ? stored[0].set : null;
}

function hasNote(stored: StoredVerdicts): stored is readonly [SetNote, ...Verdict[]] {
  const [first] = stored;
  return first !== undefined && "set" in first;
}
