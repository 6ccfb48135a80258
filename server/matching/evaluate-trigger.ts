import type { Json } from "../contract/json.ts";
import type { Reason, Verdict, VerdictOutcome } from "../contract/delivery.ts";
import { shortText } from "../domain/json/short-json.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { explainIssues } from "./explain.ts";
import { parseBounded } from "./parse-bounded.ts";
import { toJson } from "./to-json.ts";

export interface Evaluation {
  /** Its `runId` is null: nothing was started. */
  verdict: Verdict;
  /** What `request` made of the body; `null` unless the trigger matched. */
  payload: Json | null;
}

/** What a schema says of a body. */
export type ParseOutcome = { success: true; payload: Json } | { success: false; reasons: Reason[] };

/**
 * What each trigger says of a body, in the order given. Every trigger is asked, and Zod decides: a trigger matches when
 * the body parses with its `request` and, where there is one, its `filter`, which reads the same body.
 */
export function evaluateTriggers(triggers: readonly TriggerSource[], body: Json): Evaluation[] {
  return triggers.map((trigger) => evaluateTrigger(trigger, (schema) => askSchema(schema, body)));
}

export function evaluateTrigger(trigger: TriggerSource, ask: (schema: AnySchema) => ParseOutcome): Evaluation {
  const request = ask(trigger.request);
  if (!request.success) return { verdict: verdictOf(trigger, "request_mismatch", request.reasons), payload: null };
  const filter = trigger.filter ? ask(trigger.filter) : null;
  if (filter && !filter.success)
    return { verdict: verdictOf(trigger, "filter_mismatch", filter.reasons), payload: null };
  return { verdict: verdictOf(trigger, "matched", []), payload: request.payload };
}

/** A schema that throws is its author's mistake, and must not silence the other triggers. */
export function askSchema(schema: AnySchema, body: Json): ParseOutcome {
  try {
    const parsed = parseBounded(schema, body);
    if (parsed.success) return { success: true, payload: toJson(parsed.data) };
    return { success: false, reasons: explainIssues(parsed.error.issues, body, schema) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = shortText(`The schema threw an error: ${why}`, 300);
    return { success: false, reasons: [{ pointer: "", code: "schema_error", message, expected: null, actual: null }] };
  }
}

/** Triggers that share a schema share its answer. */
export function rememberAnswers(answer: (schema: AnySchema) => ParseOutcome): (schema: AnySchema) => ParseOutcome {
  const answers = new Map<AnySchema, ParseOutcome>();
  return (schema) => {
    const known = answers.get(schema);
    if (known) return known;
    const opinion = answer(schema);
    answers.set(schema, opinion);
    return opinion;
  };
}

function verdictOf({ slug, attachmentId, target }: TriggerSource, outcome: VerdictOutcome, reasons: Reason[]): Verdict {
  return { trigger: slug, attachmentId, target, outcome, runId: null, reasons };
}
