import type { Reason, Verdict } from "../contract/verdict.ts";
import { redactText } from "./redaction.ts";
import { isFolded, type Verdicts } from "./verdict-list.ts";

/**
 * What triggers say of a body shows pieces of it. A key that slipped into the body stays there, and does not get into
 * lists, pages and logs.
 */
export function redactVerdicts(verdicts: Verdicts): Verdicts {
  if (!isFolded(verdicts)) return verdicts.map(redactVerdict);
  // Verdicts that are shared with other deliveries contain nothing of this body.
  const actuals = Object.fromEntries(
    Object.entries(verdicts.actuals).map(([pointer, actual]) => [pointer, clean(actual)]),
  );
  return { ...verdicts, actuals, own: verdicts.own.map(redactVerdict) };
}

export function redactVerdict(verdict: Verdict): Verdict {
  return verdict.reasons.length === 0 ? verdict : { ...verdict, reasons: verdict.reasons.map(redactReason) };
}

function redactReason(reason: Reason): Reason {
  return {
    ...reason,
    pointer: redactText(reason.pointer, []),
    message: redactText(reason.message, []),
    actual: clean(reason.actual),
  };
}

function clean(text: string | null): string | null {
  return text === null ? null : redactText(text, []);
}
