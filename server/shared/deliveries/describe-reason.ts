import type { Reason, UnlistedVerdicts, Verdict, VerdictList, VerdictOutcome } from "../../contract/delivery.ts";
import { formatCount } from "../format.ts";

/** The code of a reason if a typed source selects another kind of event. */
export const otherEventCode = "other_event";

/** The part of a trigger that decided. */
export const verdictStages: Record<VerdictOutcome, string> = {
  matched: "all",
  headers_mismatch: "headers",
  query_mismatch: "query",
  request_mismatch: "request",
  filter_mismatch: "filter",
  disabled: "disabled",
};

/** `/data/amount: expected ≥ 10000, was -5`. */
export function formatReason(reason: Reason): string {
  const { path, expectation, actual } = reasonParts(reason);
  const ending = actual === null ? "" : reason.actual === null ? `, ${actual}` : `, was ${actual}`;
  return `${path === null ? "" : `${path}: `}${expectation}${ending}`;
}

/** One reason in parts. */
interface ReasonParts {
  /** `null`: the trigger is disabled; the reason is not about the body. */
  path: string | null;
  expectation: string;
  /** The value as JSON; `missing`: the field is absent; `null`: does not apply. */
  actual: string | null;
}

export function reasonParts({ pointer, code, message, expected, actual }: Reason): ReasonParts {
  if (code === "disabled") return { path: null, expectation: message, actual: null };
  return {
    path: pointer || "the whole body",
    expectation: expected === null ? message : `expected ${expected}`,
    // The whole body is never missing.
    actual: actual ?? (pointer === "" ? null : "missing"),
  };
}

/** One line for verdicts that a delivery does not list: `990 triggers stopped by filter at /type, was "refund"`. */
export function describeUnlisted({ outcome, pointer, actual, count }: UnlistedVerdicts): string {
  if (outcome === "disabled") return `${formatCount(count, "trigger")} disabled`;
  const stopped = `${formatCount(count, "trigger")} stopped by ${verdictStages[outcome]}`;
  if (pointer === null) return `${stopped}, at various fields`;
  const was = actual === null ? (pointer === "" ? "" : ", missing") : `, was ${actual}`;
  return `${stopped} at ${pointer || "the whole body"}${was}`;
}

/** Whether the body is right for at least one trigger. What the others say is then no fault of the sender. */
export function fitsSome(verdicts: readonly Pick<Verdict, "outcome" | "reasons">[]): boolean {
  return verdicts.some(
    (verdict) => verdict.outcome === "matched" || (verdict.outcome === "filter_mismatch" && !isOtherEvent(verdict)),
  );
}

/** Whether a typed source selects another kind of event. Then it did not evaluate the rest of the body. */
export function isOtherEvent({ reasons }: Pick<Verdict, "reasons">): boolean {
  return reasons.some(({ code }) => code === otherEventCode);
}

/** The number of evaluated triggers, listed or not. */
export function countVerdicts({ verdicts, unlistedVerdicts }: VerdictList): number {
  return unlistedVerdicts.reduce((sum, { count }) => sum + count, verdicts.length);
}
