import type { Json } from "../contract/json.ts";
import type { Reason, Verdict, VerdictOutcome } from "../contract/verdict.ts";
import { shortText } from "../domain/short-json.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { explainIssues } from "./explain.ts";
import { toJson } from "./to-json.ts";

export interface Evaluation {
  /** Its `runId` is null: nothing was started. */
  verdict: Verdict;
  /** What `request` made of the body; `null` unless the trigger matched. */
  payload: Json | null;
}

/**
 * What each trigger says of a body, in the order given. Every trigger is asked, and Zod decides: a trigger matches when the body
 * parses with its `request` and, where there is one, its `filter`, which reads the same body.
 */
export function evaluateTriggers(triggers: readonly TriggerSource[], body: Json): Evaluation[] {
  // Asking Zod is cheap beside the commit. Should an endpoint ever bear thousands of triggers, an index over their exported schemas
  // can choose the candidates here; those that it rules out still need their verdicts.
  return triggers.map((trigger) => evaluateTrigger(trigger, body));
}

function evaluateTrigger(trigger: TriggerSource, body: Json): Evaluation {
  const request = parse(trigger.request, body);
  if (!request.success) return { verdict: verdictOf(trigger, "request_mismatch", request.reasons), payload: null };
  const filter = trigger.filter ? parse(trigger.filter, body) : null;
  if (filter && !filter.success) return { verdict: verdictOf(trigger, "filter_mismatch", filter.reasons), payload: null };
  return { verdict: verdictOf(trigger, "matched", []), payload: request.payload };
}

/** A schema that throws is its author's mistake, and must not silence the other triggers. */
function parse(schema: AnySchema, body: Json): { success: true; payload: Json } | { success: false; reasons: Reason[] } {
  try {
    const parsed = schema.safeParse(body);
    if (parsed.success) return { success: true, payload: toJson(parsed.data) };
    return { success: false, reasons: explainIssues(parsed.error.issues, body) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = shortText(`The schema failed while it read the body: ${why}`, 300);
    return { success: false, reasons: [{ pointer: "", code: "schema_error", message, expected: null, actual: null }] };
  }
}

function verdictOf({ slug, attachmentId, target }: TriggerSource, outcome: VerdictOutcome, reasons: Reason[]): Verdict {
  return { trigger: slug, attachmentId, target, outcome, runId: null, reasons };
}
