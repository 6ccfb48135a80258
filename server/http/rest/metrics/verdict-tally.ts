import type { VerdictOutcome } from "../../../contract/verdict.ts";
import { type CommonVerdicts, isFolded, ownVerdicts, type Verdicts } from "../../../domain/verdict-list.ts";

export type VerdictTally = Record<VerdictOutcome, number>;

export const noVerdicts = (): VerdictTally => ({ matched: 0, request_mismatch: 0, filter_mismatch: 0, disabled: 0 });

/**
 * Adds what each trigger said of a delivery. Those that thousands of triggers say in common are counted once for all
 * deliveries that have them.
 */
export function addVerdicts(
  tally: VerdictTally,
  verdicts: Verdicts,
  onMatch: ((trigger: string) => void) | null,
): void {
  for (const { outcome, trigger } of ownVerdicts(verdicts)) {
    tally[outcome] += 1;
    if (onMatch && outcome === "matched") onMatch(trigger);
  }
  if (!isFolded(verdicts)) return;
  const { common, places } = verdicts;
  const counted = countCommon(common);
  tally.request_mismatch += counted.request_mismatch;
  tally.filter_mismatch += counted.filter_mismatch;
  tally.disabled += counted.disabled;
  for (const place of places) {
    const replaced = common[place];
    if (replaced) tally[replaced.outcome] -= 1;
  }
}

const countedLists = new WeakMap<CommonVerdicts, VerdictTally>();

function countCommon(common: CommonVerdicts): VerdictTally {
  const known = countedLists.get(common);
  if (known) return known;
  const counted = noVerdicts();
  for (const verdict of common) if (verdict) counted[verdict.outcome] += 1;
  countedLists.set(common, counted);
  return counted;
}
