import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { Reason, Verdict, VerdictOutcome } from "../contract/delivery.ts";
import { shortText } from "../domain/json/short-json.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { explainIssues } from "./explain/explain.ts";
import { parseBounded } from "./schemas/parse-bounded.ts";

export interface Evaluation {
  /** Its `runId` is null: nothing was started. */
  verdict: Verdict;
  /** What `request` made of the body; `null` unless the trigger matched. */
  payload: Json | null;
}

/** The outcome of parsing a body with a schema. */
export type ParseOutcome = { success: true; payload: Json } | { success: false; reasons: Reason[] };

/**
 * The verdict of each trigger on a body, in the order given. Zod decides: a trigger matches if the body parses with its
 * `request` and, if there is one, its `filter`, which reads the same body.
 */
export function evaluateTriggers(triggers: readonly TriggerSource[], body: Json): Evaluation[] {
  return triggers.map((trigger) => evaluateTrigger(trigger, (schema) => parseBody(schema, body)));
}

export function evaluateTrigger(trigger: TriggerSource, parse: (schema: AnySchema) => ParseOutcome): Evaluation {
  const request = parse(trigger.request);
  if (!request.success) return { verdict: verdictOf(trigger, "request_mismatch", request.reasons), payload: null };
  const filter = trigger.filter ? parse(trigger.filter) : null;
  if (filter && !filter.success)
    return { verdict: verdictOf(trigger, "filter_mismatch", filter.reasons), payload: null };
  return { verdict: verdictOf(trigger, "matched", []), payload: request.payload };
}

/** The verdict of a disabled trigger on every body. */
export function disabledVerdict(
  trigger: Pick<TriggerSource, "slug" | "attachmentId" | "target">,
  disabled: DisabledTriggers,
): Verdict {
  const { at = "", reason = null } = disabled.get(trigger.slug) ?? {};
  const message = `Switched off since ${at}${reason === null ? "" : `: ${reason}`}`;
  return verdictOf(trigger, "disabled", [{ pointer: "", code: "disabled", message, expected: null, actual: null }]);
}

/** A schema that throws is an error of its author. It must not affect the other triggers. */
export function parseBody(schema: AnySchema, body: Json): ParseOutcome {
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

/** Triggers that share a schema share its outcome. */
export function memoizeParse(parse: (schema: AnySchema) => ParseOutcome): (schema: AnySchema) => ParseOutcome {
  let outcomes: Map<AnySchema, ParseOutcome> | null = null;
  return (schema) => {
    const known = outcomes?.get(schema);
    if (known) return known;
    const outcome = parse(schema);
    outcomes ??= new Map();
    outcomes.set(schema, outcome);
    return outcome;
  };
}

function verdictOf(
  { slug, attachmentId, target }: Pick<TriggerSource, "slug" | "attachmentId" | "target">,
  outcome: VerdictOutcome,
  reasons: Reason[],
): Verdict {
  return { trigger: slug, attachmentId, target, outcome, runId: null, reasons };
}

/**
 * The output of a schema as JSON: properties that are `undefined` are left out. The same object if it already is JSON,
 * which is almost always.
 */
export function toJson(value: unknown): Json {
  if (value === undefined) return null;
  return isJson(value) ? value : copyAsJson(value);
}

function isJson(value: unknown): value is Json {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== "object" || !isPlain(value)) return false;
  return Object.values(value).every(isJson);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function copyAsJson(value: unknown): Json {
  const text: string | undefined = JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" ? item.toString() : item,
  );
  const json: Json = text === undefined ? null : JSON.parse(text);
  return json;
}
