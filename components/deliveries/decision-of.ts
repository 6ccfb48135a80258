import type { DeliverySummary } from "../../server/contract/delivery.ts";
import { formatNumber } from "../../server/domain/format.ts";
import { sayReason } from "./say-reason.ts";
import { verdictOutcomes } from "../ui/statuses.ts";

/** One line: why a delivery did, or did not, start a run. */
export function decisionOf(delivery: Pick<DeliverySummary, "endpoint" | "problem" | "verdicts" | "outcome">): string {
  const { verdicts, problem } = delivery;
  if (problem?.code === "unknown_endpoint") return `No endpoint ${delivery.endpoint || "(empty)"}`;
  if (verdicts.length === 0 && problem) return problemText(problem);
  if (verdicts.length === 0) return delivery.outcome === "skipped" ? "URL verification answered" : "";
  const fired = verdicts.filter((verdict) => verdict.outcome === "matched");
  if (delivery.outcome === "repeated") return "Duplicate: no new run started";
  if (fired.length > 0)
    return verdicts.length === 1
      ? `${fired[0]?.trigger} fired`
      : `${formatNumber(fired.length)} of ${formatNumber(verdicts.length)} fired: ${[...new Set(fired.map(({ trigger }) => trigger))].join(", ")}`;
  const [only] = verdicts;
  const stages = [...new Set(verdicts.map(({ outcome }) => verdictOutcomes[outcome].stage))].join(", ");
  if (!only || verdicts.length > 1) return `0 of ${formatNumber(verdicts.length)} fired, stopped at ${stages}`;
  const reason = only.reasons[0];
  if (!reason) return verdictOutcomes[only.outcome].label;
  return only.outcome === "disabled"
    ? sayReason(reason)
    : `${verdictOutcomes[only.outcome].stage}: ${sayReason(reason)}`;
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
