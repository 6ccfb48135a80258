import type { Reason, Verdict } from "../../contract/delivery.ts";

/** The verdicts of a delivery, in the order of the triggers: simply listed, or folded where they are many. */
export type Verdicts = readonly Verdict[] | FoldedVerdicts;

/** Verdicts most of which other deliveries to the endpoint have as well, and which are kept once for all of them. */
export interface FoldedVerdicts {
  common: CommonVerdicts;
  /** What this body has, in short, where reasons of `common` leave it open; by pointer. */
  actuals: Readonly<Record<string, string | null>>;
  /**
   * The verdicts of this delivery alone, in order, including every match. The attachments of one trigger are all
   * included or all excluded.
   */
  own: readonly Verdict[];
  /** The indexes of `own`: those without a verdict in `common`, and those where it does not apply. Ascending. */
  places: readonly number[];
}

/** Never changed once it is made: deliveries that have it in common have the very same list. Nothing in it has matched. */
export type CommonVerdicts = readonly (CommonVerdict | null)[];

export interface CommonVerdict extends Omit<Verdict, "reasons"> {
  reasons: readonly CommonReason[];
}

/** Without `actual`, the reason applies to any value at its pointer. */
interface CommonReason extends Omit<Reason, "actual"> {
  actual?: string | null;
}

/** All of them, in the order of the triggers. */
export function listVerdicts(verdicts: Verdicts): Verdict[] {
  if (!isFolded(verdicts)) return [...verdicts];
  const { common, actuals, own, places } = verdicts;
  let next = 0;
  return common.map((verdict, at) => {
    const mine = places[next] === at ? own[next++] : undefined;
    if (mine) return mine;
    if (verdict) return complete(verdict, actuals);
    throw new Error(`Folded verdicts have none of trigger ${at}.`);
  });
}

/** The verdicts that are not shared with other deliveries, including every match. */
export function ownVerdicts(verdicts: Verdicts): readonly Verdict[] {
  return isFolded(verdicts) ? verdicts.own : verdicts;
}

/** The same with each of `ownVerdicts` changed. */
export function mapOwnVerdicts(verdicts: Verdicts, change: (verdict: Verdict) => Verdict): Verdicts {
  return isFolded(verdicts) ? { ...verdicts, own: verdicts.own.map(change) } : verdicts.map(change);
}

export function isFolded(verdicts: Verdicts): verdicts is FoldedVerdicts {
  return "common" in verdicts;
}

/** With its fields in the order in which every verdict has them. */
function complete(
  { trigger, attachmentId, target, outcome, runId, reasons }: CommonVerdict,
  actuals: FoldedVerdicts["actuals"],
): Verdict {
  const completed = reasons.map(({ pointer, code, message, expected, actual }): Reason => ({
    pointer,
    code,
    message,
    expected,
    actual: actual === undefined ? (actuals[pointer] ?? null) : actual,
  }));
  return { trigger, attachmentId, target, outcome, runId, reasons: completed };
}
