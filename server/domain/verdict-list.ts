import type { Reason, Verdict } from "../contract/verdict.ts";

/** The verdicts of a delivery, in the order of the triggers: simply listed, or folded where they are many. */
export type Verdicts = readonly Verdict[] | FoldedVerdicts;

/** Verdicts most of which other deliveries to the endpoint have as well, and which are kept once for all of them. */
export interface FoldedVerdicts {
  common: CommonVerdicts;
  /** What this body has, in short, where reasons of `common` leave it open; by pointer. */
  actuals: Readonly<Record<string, string | null>>;
  /** This delivery's own: one for each `null` of `common`, in their order. What matched is here. */
  own: readonly Verdict[];
}

/** Never changed once it is made: deliveries that have it in common have the very same list. `null`: each has its own there. */
export type CommonVerdicts = readonly (CommonVerdict | null)[];

export interface CommonVerdict extends Omit<Verdict, "reasons"> {
  reasons: readonly CommonReason[];
}

/** Without `actual` it is about whatever a body has at its pointer. */
export interface CommonReason extends Omit<Reason, "actual"> {
  actual?: string | null;
}

/** All of them, in the order of the triggers. */
export function listVerdicts(verdicts: Verdicts): Verdict[] {
  if (!isFolded(verdicts)) return [...verdicts];
  const { common, actuals, own } = verdicts;
  let at = 0;
  return common.map((verdict) => (verdict === null ? nextOf(own, at++) : complete(verdict, actuals)));
}

/** Those that are not in common with other deliveries; whatever matched is among them. */
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

function nextOf(own: readonly Verdict[], at: number): Verdict {
  const verdict = own[at];
  if (!verdict) throw new Error(`Folded verdicts have ${own.length} of their own, and leave more of them open.`);
  return verdict;
}

/** With its fields in the order in which every verdict has them. */
function complete({ trigger, attachmentId, target, outcome, runId, reasons }: CommonVerdict, actuals: FoldedVerdicts["actuals"]): Verdict {
  const completed = reasons.map(({ pointer, code, message, expected, actual }): Reason => ({ pointer, code, message, expected, actual: actual === undefined ? (actuals[pointer] ?? null) : actual }));
  return { trigger, attachmentId, target, outcome, runId, reasons: completed };
}
