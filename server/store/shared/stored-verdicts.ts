import type { UnlistedVerdicts, Verdict, VerdictList } from "../../contract/delivery.ts";

/** The verdicts of a delivery as stored: the listed ones, after a note about unlisted ones if there are any. */
export type StoredVerdicts = readonly Verdict[] | readonly [UnlistedNote, ...Verdict[]];

interface UnlistedNote {
  unlisted: UnlistedVerdicts[];
}

export function toStoredVerdicts({ verdicts, unlistedVerdicts }: VerdictList): StoredVerdicts {
  return unlistedVerdicts.length === 0 ? verdicts : [{ unlisted: unlistedVerdicts }, ...verdicts];
}

export function readStoredVerdicts(stored: StoredVerdicts): VerdictList {
  const [first, ...others] = stored;
  if (first === undefined || "trigger" in first) return { verdicts: stored as Verdict[], unlistedVerdicts: [] };
  return { verdicts: others as Verdict[], unlistedVerdicts: first.unlisted };
}
