import {
  countVerdicts,
  type DeliverySummary,
  type Reason,
  type UnlistedVerdicts,
  type VerdictList,
} from "../../server/contract/delivery.ts";
import { formatCount, formatNumber } from "../../server/domain/format.ts";
import { deliveryOutcomes, verdictOutcomes } from "../ui/statuses.ts";

/** The title of a delivery in the browser's tab: `✗ billing`. */
export function deliveryTitle({ outcome, endpoint }: Pick<DeliverySummary, "outcome" | "endpoint">): string {
  return `${deliveryOutcomes[outcome].mark} ${endpoint}`;
}

/** One line: why a delivery did, or did not, start a run. */
export function describeDecision(
  delivery: Pick<DeliverySummary, "endpoint" | "problem" | "outcome" | keyof VerdictList>,
): string {
  const { verdicts, unlistedVerdicts, problem } = delivery;
  const evaluated = countVerdicts(delivery);
  if (problem?.code === "unknown_endpoint") return `No endpoint ${delivery.endpoint || "(empty)"}`;
  if (evaluated === 0 && problem) return problemText(problem);
  if (evaluated === 0) return delivery.outcome === "skipped" ? "URL verification answered" : "";
  const fired = verdicts.filter((verdict) => verdict.outcome === "matched");
  if (delivery.outcome === "repeated") return "Duplicate: no new run started";
  if (fired.length > 0)
    return evaluated === 1
      ? `${fired[0]?.trigger} fired`
      : `${formatNumber(fired.length)} of ${formatNumber(evaluated)} fired: ${[...new Set(fired.map(({ trigger }) => trigger))].join(", ")}`;
  const [only] = verdicts;
  const stages = [
    ...new Set([...verdicts, ...unlistedVerdicts].map(({ outcome }) => verdictOutcomes[outcome].stage)),
  ].join(", ");
  const held = delivery.outcome === "held" ? "Waits for a release: " : "";
  if (!only || evaluated > 1) return `${held}0 of ${formatNumber(evaluated)} fired, stopped at ${stages}`;
  const reason = only.reasons[0];
  if (!reason) return held + verdictOutcomes[only.outcome].label;
  return only.outcome === "disabled"
    ? held + formatReason(reason)
    : `${held}${verdictOutcomes[only.outcome].stage}: ${formatReason(reason)}`;
}

/** One line for verdicts that a delivery does not list: `990 triggers stopped by filter at /type, was "refund"`. */
export function describeUnlisted({ outcome, pointer, actual, count }: UnlistedVerdicts): string {
  if (outcome === "disabled") return `${formatCount(count, "trigger")} switched off`;
  const stopped = `${formatCount(count, "trigger")} stopped by ${verdictOutcomes[outcome].stage}`;
  if (pointer === null) return `${stopped}, at various fields`;
  const was = actual === null ? (pointer === "" ? "" : ", missing") : `, was ${actual}`;
  return `${stopped} at ${pointer || "the whole body"}${was}`;
}

/** The endpoint with the most similar name, for a delivery to an unknown endpoint; `null`: none is similar. */
export function nearMissOf({ problem }: Pick<DeliverySummary, "problem">): string | null {
  if (problem?.code !== "unknown_endpoint") return null;
  return / Did you mean "([^"]+)"\?$/.exec(problem.detail)?.[1] ?? null;
}

function problemText({ title, detail, errors }: NonNullable<DeliverySummary["problem"]>): string {
  const [first] = errors ?? [];
  return first ? `${title}: ${first.pointer || "the whole body"}, ${first.message}` : `${title}. ${detail}`;
}

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
