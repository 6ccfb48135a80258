import type { DescribedDelivery, Verdict } from "../../contract/delivery.ts";
import type { Target } from "../../contract/project/target.ts";
import type { RunSummary } from "../../contract/run.ts";
import type { TimelineEntry } from "../../contract/timeline.ts";

/** What models see of verdicts, bodies and runs: the same facts as the API, with fewer words. */

/** `null`: the trigger starts nothing. */
export function describeTarget(target: Target | null): string | null {
  return target && `${target.kind} ${target.slug}`;
}

export function describeVerdict({ trigger, target, outcome, runId, reasons }: Verdict) {
  return {
    trigger,
    target: describeTarget(target),
    outcome,
    runId,
    reasons: reasons.map(({ pointer, message, expected, actual }) => ({ pointer, message, expected, actual })),
  };
}

/** The body as its triggers evaluate it: JSON or text. `base64`: it is neither. `null`: it is not stored. */
export function describeBody({
  json,
  evaluated,
  body,
}: Pick<DescribedDelivery, "json" | "evaluated" | "body">): unknown {
  if (evaluated) return { format: evaluated.format, text: evaluated.text };
  if (json !== null) return { json };
  return body === null ? null : { base64: body };
}

export function describeRun<Shown extends RunSummary>(run: Shown) {
  const { target, attachmentId: _, tokens, costUsd, ...rest } = run;
  return {
    ...rest,
    target: describeTarget(target),
    ...(target.kind === "agent" ? { tokens, costUsd } : {}),
  };
}

/** Without the fields that are `null`. */
export function describeEntry(entry: TimelineEntry) {
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => name !== "id" && value !== null));
}
